import { hashApiKey, idOfApiKey, isActive, previousWorksUntil, whichText, type KeyRecord } from "../../../access/api-key.ts";
import type { Change } from "../../../access/change.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
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
  properties: { key: { type: "string", isSecret: true, description: "The key that is to end: `sk-service-…`." } },
};

const replySchema: Schema = {
  title: "RevokedKey",
  type: "object",
  required: ["id", "revoked", "key_still_works"],
  properties: {
    id: { type: "string" },
    revoked: { type: "boolean", description: "True: what was sent opens nothing any more." },
    key_still_works: {
      type: "boolean",
      description: "Whether the key with this id works on: it was rotated, and what was sent is what it was before.",
    },
  },
};

interface Held {
  readonly record: KeyRecord;
  readonly text: "current" | "previous";
}

/**
 * POST /api/keys/revoke: whoever holds a key can end it, so that who finds a leaked one needs no account and no waiting. Only
 * what was sent ends: of a rotated key the text before ends alone, because the new one has not leaked.
 */
export function revokeByPossession(platform: Platform): Operation {
  const throttle = new MinuteThrottle(MISSES_IN_A_MINUTE, "Too many attempts came from this address. Try again in a minute.");
  return operation<{ readonly key: string }>({
    method: "POST",
    path: "/api/keys/revoke",
    access: "anyone",
    operationId: "revokeKeyByPossession",
    summary: "Revokes the key that is sent. It takes the key and nothing else.",
    body: requestSchema,
    reply: { status: 200, description: "It works no more.", json: replySchema },
    async run(call) {
      const held = findHeld(call.body.key.trim(), platform);
      if (!held) {
        // Only misses are counted: a key that has leaked ends even while somebody floods from the same address.
        throttle.count(networkOf(call.exchange.callerAddress()), platform.monotonicMs());
        throw new GatewayError("unknown_key", "There is no such key.");
      }
      await end(held, call, platform);
      const keyStillWorks = held.text === "previous" && isActive(held.record, platform.nowMs());
      return Reply.json({ id: held.record.id, revoked: true, key_still_works: keyStillWorks });
    },
  });
}

/** Whose text this is. It need not work any more: one that has ended is found too. */
function findHeld(key: string, { keys, hashSecret }: Platform): Held | undefined {
  const id = idOfApiKey(key);
  const record = id === undefined ? undefined : keys.find(id);
  const text = record && whichText(record, hashApiKey(key, hashSecret));
  return text && { record, text };
}

async function end({ record, text }: Held, call: Call, { keys, nowMs }: Platform): Promise<void> {
  const hasEnded = record.revokedAtMs !== null || (text === "previous" && previousWorksUntil(record, nowMs()) === null);
  // Nothing to do, and nothing for the log: whoever has a dead key must not be able to fill it.
  if (hasEnded && !keys.isUnwritten(record.id)) return;
  if (text === "current" || record.revokedAtMs !== null) {
    const revoked = { ...record, revokedAtMs: record.revokedAtMs ?? nowMs() };
    return keys.revoke(revoked, changeByHolder("key.revoke", record, revoked, call));
  }
  const { previous } = record;
  const rid = { ...record, previous: { ...previous!, worksUntilMs: Math.min(previous!.worksUntilMs, nowMs()) } };
  return keys.revoke(rid, changeByHolder("key.revoke_previous", record, rid, call));
}

/** The address is all that is known of who it was. */
function changeByHolder(action: string, before: KeyRecord, after: KeyRecord, { change }: Call): Change {
  const what = { before: describeKey(before), after: describeKey(after), accountId: before.accountId };
  return { ...change(action, { kind: "key", id: before.id }, what), actor: "key-holder", actorName: "whoever holds the key" };
}
