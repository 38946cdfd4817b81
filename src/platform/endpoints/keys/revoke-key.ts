import { members } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { existingKey, findKey } from "./find-key.ts";
import { describeKey, keySchema, viewKey } from "./key-view.ts";

const replySchema = {
  ...keySchema,
  title: "KeyAfterRevoke",
  required: [...keySchema.required, "was_revoked_before"],
  properties: {
    ...keySchema.properties,
    was_revoked_before: { type: "boolean", description: "Whether the key was already revoked, so that nothing has changed." },
  },
} as const satisfies Schema;

/** DELETE /api/keys/:id: revokes the key from the next request on. Its record stays, so that past entries keep its name. */
export function revokeKey(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/keys/:id",
    access: members("keys:write"),
    operationId: "revokeKey",
    summary: "Revoke a key permanently, from the next request on",
    reply: { status: 200, description: "The revoked key.", json: replySchema },
    async run({ actor, param, change }) {
      const id = param("id");
      const revocation = await platform.keys.revoke(id, (current) => {
        const key = existingKey(current, id, actor);
        // Nothing changes, so nothing is audited. A revocation that could not be recorded is recorded by the next attempt.
        if (key.revokedAtMs !== null && !platform.keys.isUnwritten(id)) return undefined;
        const record = { ...key, revokedAtMs: key.revokedAtMs ?? platform.nowMs() };
        const what = { before: describeKey({ ...key, revokedAtMs: null }), after: describeKey(record), accountId: key.accountId };
        return { record, change: change("key.revoke", { kind: "key", id }, what) };
      });
      const key = revocation?.record ?? findKey(id, actor, platform);
      return { ...(await viewKey(key, platform)), was_revoked_before: revocation === undefined };
    },
  });
}
