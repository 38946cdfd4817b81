import { hashApiKey, idOfApiKey, isActive, previousWorksUntil, whichText, type KeyRecord } from "../../../access/api-key.ts";
import type { Change } from "../../../access/change.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { MinuteThrottle } from "../../minute-throttle.ts";
import { networkOf } from "../../../lib/net/network-of.ts";
import { operation, type Call, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { describeKey } from "./key-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const MISSES_IN_A_MINUTE = 30;

const requestSchema: Schema = {
  title: "RevokeByPossessionRequest",
  type: "object",
  additionalProperties: false,
  required: ["key"],
  properties: { key: { type: "string", isSecret: true, description: "The plaintext key to revoke: `sk-service-…`." } },
};

const replySchema: Schema = {
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
};

interface SubmittedKey {
  readonly record: KeyRecord;
  readonly text: "current" | "previous";
}

/**
 * POST /api/keys/revoke: the holder of a key can revoke it, so that the finder of a leaked key needs no account. Only the submitted
 * secret is revoked: when the key was rotated, its new secret has not leaked and stays valid.
 */
export function revokeByPossession(platform: Platform): Operation {
  const throttle = new MinuteThrottle(MISSES_IN_A_MINUTE, "Too many attempts came from this address. Try again in a minute.");
  return operation<{ readonly key: string }>({
    method: "POST",
    path: "/api/keys/revoke",
    access: "anyone",
    operationId: "revokeKeyByPossession",
    summary: "Revoke a leaked key by its plaintext. No other credential is needed.",
    body: requestSchema,
    reply: { status: 200, description: "The key is revoked.", json: replySchema },
    async run(call) {
      const submitted = findSubmitted(call.body.key.trim(), platform);
      if (!submitted) {
        // Only failed attempts count: a leaked key can be revoked even while its finder's address is being flooded.
        throttle.count(networkOf(call.exchange.callerAddress()), platform.monotonicMs());
        throw new ApiError("unknown_key", "There is no such key.");
      }
      await end(submitted, call, platform);
      const keyStillWorks = submitted.text === "previous" && isActive(submitted.record, platform.nowMs());
      return Reply.json({ id: submitted.record.id, revoked: true, key_still_works: keyStillWorks });
    },
  });
}

/** Finds the key of a secret, also one that is no longer valid. */
function findSubmitted(key: string, { keys, hashSecret }: Platform): SubmittedKey | undefined {
  const id = idOfApiKey(key);
  const record = id === undefined ? undefined : keys.find(id);
  const text = record && whichText(record, hashApiKey(key, hashSecret));
  return text && { record, text };
}

async function end({ record, text }: SubmittedKey, call: Call, { keys, nowMs }: Platform): Promise<void> {
  const hasEnded = record.revokedAtMs !== null || (text === "previous" && previousWorksUntil(record, nowMs()) === null);
  // Nothing changes and nothing is logged: the holder of a dead key must not be able to fill the log.
  if (hasEnded && !keys.isUnwritten(record.id)) return;
  if (text === "current" || record.revokedAtMs !== null) {
    const revoked = { ...record, revokedAtMs: record.revokedAtMs ?? nowMs() };
    return keys.revoke(revoked, changeByHolder("key.revoke", record, revoked, call));
  }
  const { previous } = record;
  const rid = { ...record, previous: { ...previous!, worksUntilMs: Math.min(previous!.worksUntilMs, nowMs()) } };
  return keys.revoke(rid, changeByHolder("key.revoke_previous", record, rid, call));
}

/** The network address is all that is known of the holder. */
function changeByHolder(action: string, before: KeyRecord, after: KeyRecord, { change }: Call): Change {
  const what = { before: describeKey(before), after: describeKey(after), accountId: before.accountId };
  return { ...change(action, { kind: "key", id: before.id }, what), actor: "key-holder", actorName: "the key's holder" };
}
