import { members } from "../../../access/access.ts";
import { hasEnded, rotateKey as rotate, type KeyRecord } from "../../../access/api-key.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { existingKey, findKey } from "./find-key.ts";
import { describeKey, newKeySchema, viewKey } from "./key-view.ts";

const DAY_SECONDS = 24 * 60 * 60;

const requestSchema = {
  title: "RotateKeyRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    grace_period_seconds: {
      type: "integer",
      minimum: 0,
      maximum: 30 * DAY_SECONDS,
      description: "The grace period for the old secret in seconds. Default: one day; 0 revokes the old secret immediately.",
    },
  },
} as const satisfies Schema;

/** POST /api/keys/:id/rotate: generates a new secret for the same key id. All settings stay. */
export function rotateKey(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/keys/:id/rotate",
    access: members("keys:write"),
    operationId: "rotateKey",
    summary: "Rotate a key's secret. The old secret stays valid during a grace period; an even older one is revoked immediately.",
    body: requestSchema,
    reply: { status: 200, description: "The key, with its new plaintext.", json: newKeySchema },
    async run({ actor, body, param, change }) {
      const id = param("id");
      const { key, record } = await platform.keys.update(id, (current) => {
        const nowMs = platform.nowMs();
        const before = existingKey(current, id, actor);
        if (hasEnded(before, nowMs)) throw notActive(before);
        const rotated = rotate(before, (body.grace_period_seconds ?? DAY_SECONDS) * 1000, platform.hashSecret, nowMs);
        const what = { before: describeKey(before), after: describeKey(rotated.record), accountId: before.accountId };
        return { ...rotated, change: change("key.rotate", { kind: "key", id }, what) };
      });
      return { ...(await viewKey(record, platform)), key: key.reveal() };
    },
    showCreated: async (id, { actor }) => ({ ...(await viewKey(findKey(id, actor, platform), platform)), key: null }),
  });
}

function notActive({ revokedAtMs }: KeyRecord): ApiError {
  if (revokedAtMs !== null) return new ApiError("state_conflict", "This key was revoked permanently. Create a new one.");
  return new ApiError("state_conflict", "This key has expired. Set another expiry first, or create a new key.");
}
