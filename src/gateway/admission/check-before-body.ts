import type { Account } from "../../vocabulary/account.ts";
import type { KeyRecord } from "../../vocabulary/api-key.ts";
import { canBeFree, mayCall } from "../../vocabulary/catalog.ts";
import type { HeaderFields } from "../../vocabulary/header-fields.ts";
import { tightestFirst, type Room } from "../../vocabulary/room.ts";
import type { Gateway } from "../gateway.ts";
import { hasEarlier } from "../idempotency.ts";
import { roomsFor } from "./hold-room.ts";
import { limitScopes, refuseFullLimit } from "./limits.ts";
import { moneyRefusal } from "./money-refusal.ts";

/**
 * Rejects a request whose body is still to be received, where its key and its headers alone decide: there is no credit or budget left and
 * no free model that the key may call, or a rate limit is reached; unless it may be a replay or is a dry run, which need neither. It is
 * asked in the order of `admit`, which decides about every other request. Returns the credit or budget that is used up, where the request
 * may cost nothing all the same.
 */
export function checkBeforeBody(caller: KeyRecord, headers: HeaderFields, gateway: Gateway): Room | undefined {
  const nowMs = gateway.nowMs();
  const account = gateway.accountOf(caller);
  const needsNothing = headers.has("x-dry-run") || hasEarlier(caller, headers, gateway);
  const room = usedUp(caller, account, gateway, nowMs);
  if (room && !needsNothing && !mayCallFreeModel(caller, account, gateway, nowMs)) {
    gateway.bodies.noteRejected("no_credit");
    throw moneyRefusal(room, room.leftIfIdleNanos > 0n, (left) => `${capitalized(left)}, and this key may call no model that is free`);
  }
  if (!needsNothing) refuseFullLimit(limitScopes(caller, account), gateway, nowMs);
  return room;
}

function usedUp(caller: KeyRecord, account: Account, { ledger }: Gateway, nowMs: number): Room | undefined {
  const [tightest] = roomsFor(caller, account, ledger, nowMs).toSorted(tightestFirst);
  return tightest!.leftNanos > 0n ? undefined : tightest;
}

/** Goes through all models, which is why it is asked only where there is no money. */
function mayCallFreeModel(caller: KeyRecord, account: Account, { catalog }: Gateway, nowMs: number): boolean {
  for (const model of catalog.snapshot().values()) {
    if (canBeFree(model, nowMs) && mayCall(caller, account, model, nowMs)) return true;
  }
  return false;
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
