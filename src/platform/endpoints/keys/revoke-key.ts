import { members } from "../../../vocabulary/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findKey } from "./find-key.ts";
import { describeKey, keySchema, viewKey } from "./key-view.ts";

/** DELETE /api/keys/:id: the key stops working with the next request. Its record stays, so that the past keeps its names. */
export function revokeKey(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/keys/:id",
    access: members("keys:write"),
    operationId: "revokeKey",
    summary: "Revokes a key for good, from its next request on.",
    reply: { status: 200, description: "The key as it is now.", json: keySchema },
    async run({ actor, param, change }) {
      const key = findKey(param("id"), actor, platform);
      const revoked = { ...key, revokedAtMs: key.revokedAtMs ?? platform.nowMs() };
      const what = { before: describeKey(key), after: describeKey(revoked), accountId: key.accountId };
      await platform.keys.revoke(revoked, change("key.revoke", { kind: "key", id: key.id }, what));
      return Response.json(await viewKey(revoked, platform));
    },
  });
}
