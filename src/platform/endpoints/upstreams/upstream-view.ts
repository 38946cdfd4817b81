import { servedBy } from "../../../models/catalog.ts";
import { describeUpstream } from "../../../models/declared-upstream.ts";
import { unknownParametersSchema } from "../../../models/parameters/parameter-policy.ts";
import { PRESET_IDS } from "../../../models/presets.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { DIALECTS, type UpstreamSettings } from "../../../models/upstream-settings.ts";
import type { Platform } from "../../platform.ts";
import { managedBySchema } from "../fields/managed-by.ts";
import { identityViews } from "./identity-view.ts";

const ms = { type: "integer", description: "Milliseconds." } as const satisfies Schema;

export const upstreamSchema = {
  title: "Upstream",
  type: "object",
  required: [
    "id",
    "preset",
    "dialect",
    "base_url",
    "api_version",
    "allow_private",
    "timeouts",
    "concurrency",
    "unknown_parameters",
    "headers",
    "organization",
    "project",
    "credentials",
    "aws",
    "google",
    "azure",
    "managed_by",
    "models",
  ],
  properties: {
    id: { type: "string" },
    preset: { type: "string", nullable: true, enum: PRESET_IDS, description: "The provider preset, if the server is known." },
    dialect: { type: "string", enum: DIALECTS },
    base_url: { type: "string", nullable: true, description: "The base URL; null for the built-in upstream." },
    api_version: { type: "string", nullable: true, description: "The version of Azure's API; null for the default of the preset." },
    allow_private: { type: "boolean", description: "Whether it may be on this machine or in a private network." },
    timeouts: {
      title: "TimeoutsOrNull",
      type: "object",
      nullable: true,
      required: ["connect_ms", "first_byte_ms", "between_chunks_ms", "total_ms"],
      properties: { connect_ms: ms, first_byte_ms: ms, between_chunks_ms: ms, non_streamed_ms: ms, total_ms: ms },
    },
    concurrency: {
      title: "ConcurrencyOrNull",
      type: "object",
      nullable: true,
      required: ["max_calls", "max_queued", "max_wait_ms"],
      properties: { max_calls: { type: "integer" }, max_queued: { type: "integer" }, max_wait_ms: ms },
    },
    unknown_parameters: {
      ...unknownParametersSchema,
      nullable: true,
      description: "The handling of unknown parameters; null for the default of the dialect.",
    },
    headers: { type: "array", items: { type: "string" }, description: "The names of added request headers. Their values are never shown." },
    organization: { type: "string", nullable: true, description: "The value of the header `OpenAI-Organization`." },
    project: { type: "string", nullable: true, description: "The value of the header `OpenAI-Project`." },
    credentials: {
      type: "array",
      description: "The credentials. Their plaintext is never shown.",
      items: {
        title: "CredentialMark",
        type: "object",
        required: ["last4"],
        properties: {
          last4: { type: "string", nullable: true, description: "The last four characters; null for a credential with fewer than twelve." },
        },
      },
    },
    ...identityViews,
    managed_by: managedBySchema,
    models: { type: "array", items: { type: "string" }, description: "The models that it serves, without retired ones." },
  },
} as const satisfies Schema;

/** An upstream as the API returns it: never with its plaintext credentials. */
export function viewUpstream(upstream: UpstreamSettings, platform: Platform) {
  return {
    ...describeUpstream(upstream),
    managed_by: platform.catalog.originOfUpstream(upstream.id),
    models: servedBy(upstream.id, platform.catalog.snapshot()),
  };
}
