import { members } from "../../../access/access.ts";
import { isActive, rotateKey as rotate, type KeyRecord } from "../../../access/api-key.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findKey } from "./find-key.ts";
import { describeKey, newKeySchema, viewKey } from "./key-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const DAY_SECONDS = 24 * 60 * 60;

const requestSchema: Schema = {
  title: "RotateKeyRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    overlap_seconds: {
      type: "integer",
      minimum: 0,
      maximum: 30 * DAY_SECONDS,
      description: "How long the key as it was works on, so that nothing stops meanwhile. A day, if it is left out; 0 ends it at once.",
    },
  },
};

/** POST /api/keys/:id/rotate: another key under the same id, with everything else as it was. */
export function rotateKey(platform: Platform): Operation {
  return operation<{ readonly overlap_seconds?: number }>({
    method: "POST",
    path: "/api/keys/:id/rotate",
    access: members("keys:write"),
    operationId: "rotateKey",
    summary: "Makes a key anew. The key as it was works on for a while; one from before that ends at once.",
    body: requestSchema,
    reply: { status: 200, description: "The key, with its new text.", json: newKeySchema },
    async run({ actor, body, param, change }) {
      const nowMs = platform.nowMs();
      const before = findKey(param("id"), actor, platform);
      if (!isActive(before, nowMs)) throw notActive(before);
      const { key, record } = rotate(before, (body.overlap_seconds ?? DAY_SECONDS) * 1000, platform.hashSecret, nowMs);
      const what = { before: describeKey(before), after: describeKey(record), accountId: record.accountId };
      await platform.keys.update(record, change("key.rotate", { kind: "key", id: record.id }, what));
      return Reply.json({ ...(await viewKey(record, platform)), key: key.reveal() });
    },
    showCreated: async (id, { actor }) => Reply.json({ ...(await viewKey(findKey(id, actor, platform), platform)), key: null }),
  });
}

function notActive({ revokedAtMs }: KeyRecord): GatewayError {
  if (revokedAtMs !== null) return new GatewayError("move_refused", "This key was revoked for good. Make a new one.");
  return new GatewayError("move_refused", "This key has expired. Give it another expires_at first, or make a new one.");
}
