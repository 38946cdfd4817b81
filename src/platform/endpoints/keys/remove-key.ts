import { members } from "../../../access/access.ts";
import { isActive, type KeyRecord } from "../../../access/api-key.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseCharged } from "../fields/refuse-referred.ts";
import { viewTime } from "../fields/times.ts";
import { existingKey, findKey } from "./find-key.ts";
import { describeKey, keySchema, viewKey } from "./key-view.ts";

/**
 * DELETE /api/keys/:id/record: removes a key that was never used. It must not be active, so that no request begins meanwhile: a use is
 * reported some seconds later, and a ledger entry is written when the request ends.
 */
export function removeKey(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/keys/:id/record",
    access: members("keys:write"),
    operationId: "removeKey",
    summary: "Remove a key that was never used, with its record. Pause, archive or revoke it first.",
    reply: { status: 200, description: "The removed key.", json: keySchema },
    async run({ actor, param, change }) {
      const id = param("id");
      const removed = await viewKey(refuseActive(findKey(id, actor, platform), platform), platform);
      await refuseUsed(id, platform);
      await platform.keys.remove(id, (current) => {
        const key = refuseActive(existingKey(current, id, actor), platform);
        const what = { before: describeKey(key), after: null, accountId: key.accountId };
        return { change: change("key.remove", { kind: "key", id }, what) };
      });
      return removed;
    },
  });
}

function refuseActive(key: KeyRecord, { nowMs }: Platform): KeyRecord {
  if (!isActive(key, nowMs())) return key;
  throw new ApiError("state_conflict", "This key is active. Pause, archive or revoke it first.");
}

async function refuseUsed(id: string, platform: Platform): Promise<void> {
  const what = `The key ${id}`;
  await refuseCharged(what, { keyId: id }, platform);
  const lastUsedAtMs = (await platform.lastUsed.lastUsedTimes([id])).get(id);
  const { heldNanos } = platform.ledgerRecords.spendingOf("key", id, platform.nowMs());
  if (lastUsedAtMs === undefined && heldNanos === 0n) return;
  const when = lastUsedAtMs === undefined ? "by a request in flight" : `at ${viewTime(lastUsedAtMs)}`;
  throw new ApiError("still_in_use", `${what} cannot be removed: it was used ${when}, and requests refer to it. Archive it instead.`);
}
