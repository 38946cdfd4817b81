import { SCOPES } from "../../../access/access.ts";
import { isUsable, LONGEST_TOKEN_MS, type AccessToken } from "../../../access/access-token.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Platform } from "../../platform.ts";
import { readFutureTime, timeSchema, viewTime } from "../fields/times.ts";

export const scopesSchema = {
  type: "array",
  minItems: 1,
  maxItems: SCOPES.length,
  items: { type: "string", enum: SCOPES },
  description: "The scopes of the token, within the permissions of its owner.",
} as const satisfies Schema;

export const expirySchema = {
  type: "string",
  description: "The expiry time, such as 2027-01-31T00:00:00Z. At most one year from now.",
} as const satisfies Schema;

export function readExpiry(text: string, nowMs: number): number {
  const ms = readFutureTime(text, "expires_at", nowMs);
  if (ms <= nowMs + LONGEST_TOKEN_MS) return ms;
  throw new ApiError("invalid_value", "expires_at must be at most one year from now.", { param: "expires_at" });
}

export const accessTokenSchema = {
  title: "AccessToken",
  type: "object",
  required: ["id", "name", "scopes", "active", "created_at", "expires_at", "last_used_at", "revoked_at"],
  properties: {
    id: { type: "string", description: "The public part of the token, shown in lists." },
    name: { type: "string" },
    scopes: scopesSchema,
    active: { type: "boolean", description: "Whether the token is valid." },
    created_at: timeSchema,
    expires_at: timeSchema,
    last_used_at: { ...timeSchema, nullable: true, description: "The time of the last use, to the minute." },
    revoked_at: { ...timeSchema, nullable: true },
  },
} as const satisfies Schema;

/** An access token as the API returns it: never its hash, and the plaintext token only in the reply that created it. */
export function viewAccessToken(token: AccessToken, platform: Platform) {
  return {
    ...describeAccessToken(token),
    active: isUsable(token, platform.people.find(token.personId), platform.nowMs()),
    last_used_at: viewTime(token.lastUsedAtMs),
  };
}

/** The audited fields of a token. */
export function describeAccessToken({ id, name, scopes, createdAtMs, expiresAtMs, revokedAtMs }: AccessToken) {
  return {
    id,
    name,
    scopes,
    created_at: viewTime(createdAtMs),
    expires_at: viewTime(expiresAtMs),
    revoked_at: viewTime(revokedAtMs),
  };
}
