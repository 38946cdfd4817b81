import { servedBy } from "../../../vocabulary/catalog.ts";
import { describeUpstream } from "../../../vocabulary/declared-upstream.ts";
import type { Schema } from "../../../vocabulary/schema.ts";
import { DIALECTS, type UpstreamSettings } from "../../../vocabulary/upstream-settings.ts";
import type { Platform } from "../../platform.ts";
import { managedBySchema } from "../fields/managed-by.ts";

const ms: Schema = { type: "integer", description: "Milliseconds." };

export const upstreamSchema: Schema = {
  title: "Upstream",
  type: "object",
  required: ["id", "dialect", "base_url", "allow_private", "timeouts", "credential", "managed_by", "models"],
  properties: {
    id: { type: "string" },
    dialect: { type: "string", enum: DIALECTS },
    base_url: { type: "string", nullable: true, description: "Null for one that is built in." },
    allow_private: { type: "boolean", description: "Whether it may be on this machine or a private network." },
    timeouts: {
      type: "object",
      nullable: true,
      properties: { connect_ms: ms, first_byte_ms: ms, between_chunks_ms: ms, total_ms: ms },
    },
    credential: {
      title: "CredentialMark",
      type: "object",
      description: "The credential itself is never shown.",
      required: ["set", "last4"],
      properties: {
        set: { type: "boolean" },
        last4: { type: "string", nullable: true, description: "Its last four characters; null where it has fewer than twelve." },
      },
    },
    managed_by: managedBySchema,
    models: { type: "array", items: { type: "string" }, description: "The models that it serves, without those that are retired." },
  },
};

/** An upstream as the platform shows it: never with its credential. */
export function viewUpstream(upstream: UpstreamSettings, platform: Platform): Record<string, unknown> {
  return {
    ...describeUpstream(upstream),
    managed_by: platform.catalog.originOfUpstream(upstream.id),
    models: servedBy(upstream.id, platform.catalog.snapshot()),
  };
}
