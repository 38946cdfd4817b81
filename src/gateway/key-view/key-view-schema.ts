import { namesOf } from "../../lib/schema/infer.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { shownCapsSchema, shownLimitsSchema } from "../../money/declared-limits.ts";
import { CAP_PERIODS } from "../../money/limits.ts";
import { OUTCOMES } from "../../requests/logged-request.ts";
import { limitsSchema, usageProperties } from "./key-view.ts";
import { textOrNullSchema, textSchema } from "../../lib/schema/text-schema.ts";

const capProperties = {
  scope: { type: "string", enum: ["key", "account"], description: "Whose spend cap it is." },
  period: { type: "string", enum: CAP_PERIODS },
  cap: textSchema("The spend cap in dollars."),
  remaining: textSchema("The remaining amount in dollars, less holds of requests in flight."),
  resets_at: textOrNullSchema("When it resets; null for a cap that does not."),
} as const satisfies Record<string, Schema>;

const requestProperties = {
  request_id: { type: "string" },
  ended_at: textSchema("RFC 3339, UTC."),
  model: textOrNullSchema("The model, as named in the request."),
  stream: { type: "boolean" },
  status: { type: "integer", description: "The HTTP status; 499 when the client disconnected before there was one." },
  outcome: { type: "string", enum: OUTCOMES },
  code: textOrNullSchema("The error code."),
  prompt_tokens: { type: "integer", nullable: true },
  completion_tokens: { type: "integer", nullable: true },
  cost: textOrNullSchema("The charge in dollars."),
  duration_ms: { type: "number" },
} as const satisfies Record<string, Schema>;

const settingsSchema = {
  title: "KeyViewOwnSettings",
  type: "object",
  required: ["limits", "caps"],
  properties: { limits: shownLimitsSchema, caps: shownCapsSchema },
} as const satisfies Schema;

/** The view of a key for its holder, in the model list with `x-usage: 1`. Values may be added to its enumerations. */
export const keyViewSchema = {
  title: "KeyView",
  type: "object",
  description: "Only with `x-usage: 1`: the usage of the calling key, its limits, spend caps, credit and last requests.",
  required: ["as_of", "key", ...namesOf(usageProperties), "credit", "caps", "limits", "settings", "concurrent_requests", "recent_requests"],
  properties: {
    as_of: textSchema("When it was read. RFC 3339, UTC."),
    key: {
      title: "KeyOfView",
      type: "object",
      required: ["id", "name", "expires_at"],
      properties: {
        id: { type: "string" },
        name: { type: "string" },
        expires_at: textOrNullSchema("RFC 3339, UTC; null for a key that does not expire."),
      },
    },
    ...usageProperties,
    credit: textOrNullSchema(
      "The account's remaining credit in dollars, with its credit line and less holds of requests in flight; null if the account does not show it, or if its credit line is unlimited.",
    ),
    caps: {
      type: "array",
      description: "The spend caps of the key, and the account's spend caps if the account shows them.",
      items: { title: "KeyViewCap", type: "object", required: namesOf(capProperties), properties: capProperties },
    },
    limits: limitsSchema,
    settings: {
      title: "KeyViewSettings",
      type: "object",
      required: ["key", "account"],
      description:
        "The limits and spend caps as they are set, including the limits of each end user (`per_user`) and of each value of a tag (`per_tag`).",
      properties: {
        key: settingsSchema,
        account: {
          ...settingsSchema,
          title: "KeyViewAccountSettings",
          nullable: true,
          description: "Null if the account does not show its credit.",
        },
      },
    },
    concurrent_requests: {
      type: "integer",
      nullable: true,
      description: "The max concurrent requests, the tighter of key and account; null if there is no limit.",
    },
    recent_requests: {
      type: "array",
      description: "The last requests of the key, newest first, as far as the request log has them.",
      items: { title: "KeyViewRequest", type: "object", required: namesOf(requestProperties), properties: requestProperties },
    },
  },
} as const satisfies Schema;
