import { isActive, locateKey, previousWorksUntil, whichText, type KeyRecord } from "../../../access/api-key.ts";
import type { Update } from "../../../access/change.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { MinuteThrottle } from "../../minute-throttle.ts";
import { networkOf } from "../../../lib/net/network-of.ts";
import { operation, type Call, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { describeKey } from "./key-view.ts";

const MISSES_IN_A_MINUTE = 30;

const requestSchema = {
  title: "RevokeByPossessionRequest",
  type: "object",
  additionalProperties: false,
  required: ["key"],
  properties: { key: { type: "string", isSecret: true, description: "The plaintext key to revoke: `sk-service-…`." } },
} as const satisfies Schema;

const replySchema = {
  title: "RevokedKey",
  type: "object",
  required: ["id", "revoked", "key_still_works"],
  properties: {
    id: { type: "string" },
    revoked: { type: "boolean", description: "Always true: the submitted key is no longer valid." },
    key_still_works: {
      type: "boolean",
      description: "Whether the key with this id has a newer secret, which stays valid because only the old secret was submitted.",
    },
  },
} as const satisfies Schema;

/**
 * POST /api/keys/revoke: the holder of a key can revoke it, so that the finder of a leaked key needs no account. Only the submitted
 * secret is revoked: when the key was rotated, its new secret has not leaked and stays valid.
 */
export function revokeByPossession(platform: Platform): Operation {
  const throttle = new MinuteThrottle(MISSES_IN_A_MINUTE, "Too many attempts came from this address. Try again in a minute.");
  return operation({
    method: "POST",
    path: "/api/keys/revoke",
    access: "anyone",
    operationId: "revokeKeyByPossession",
    summary: "Revoke a leaked key by its plaintext. No other credential is needed.",
    body: requestSchema,
    reply: { status: 200, description: "The key is revoked.", json: replySchema },
    async run(call) {
      const key = call.body.key.trim();
      const located = locateKey(key, platform.hashSecret);
      const found = located && platform.keys.find(located.id);
      if (!found || !whichText(found, located.hash)) {
        // Only failed attempts count: a leaked key can be revoked even while its finder's address is being flooded.
        throttle.count(networkOf(call.exchange.callerAddress()), platform.monotonicMs());
        throw new ApiError("unknown_key", "There is no such key.");
      }
      await platform.keys.revoke(found.id, (current) => endSecret(current!, located.hash, call, platform));
      const keyStillWorks = isActive(platform.keys.find(found.id)!, platform.nowMs());
      return { id: found.id, revoked: true, key_still_works: keyStillWorks };
    },
  });
}

/** Ends the secret with this hash; undefined where it has ended before, also by a rotation meanwhile. */
function endSecret(record: KeyRecord, hash: Uint8Array, call: Call, { keys, nowMs }: Platform): Update<KeyRecord> | undefined {
  const text = whichText(record, hash);
  if (!text) return undefined;
  const hasEnded = record.revokedAtMs !== null || (text === "previous" && previousWorksUntil(record, nowMs()) === null);
  // Nothing changes and nothing is logged: the holder of a dead key must not be able to fill the log.
  if (hasEnded && !keys.isUnwritten(record.id)) return undefined;
  if (text === "current" || record.revokedAtMs !== null) {
    return updateByHolder("key.revoke", record, { ...record, revokedAtMs: record.revokedAtMs ?? nowMs() }, call);
  }
  const { previous } = record;
  const rid = { ...record, previous: { ...previous!, worksUntilMs: Math.min(previous!.worksUntilMs, nowMs()) } };
  return updateByHolder("key.revoke_previous", record, rid, call);
}

/** The network address is all that is known of the holder. */
function updateByHolder(action: string, before: KeyRecord, after: KeyRecord, { change }: Call): Update<KeyRecord> {
  const what = { before: describeKey(before), after: describeKey(after), accountId: before.accountId };
  const made = change(action, { kind: "key", id: before.id }, what);
  return { record: after, change: { ...made, actor: "key-holder", actorName: "the key's holder" } };
}
