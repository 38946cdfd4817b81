import type { KeyRecord } from "../../access/api-key.ts";
import type { GatewayError } from "../../requests/gateway-error.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";
import type { Nanos } from "../../money/money.ts";
import { tightestFirst, type Headroom } from "../../money/headroom.ts";
import type { Gateway } from "../gateway.ts";
import { isDryRun } from "../dry-run/dry-run.ts";
import { hasEarlier } from "../idempotency/idempotency.ts";
import { cheapestRequest } from "../admission/minimum-cost.ts";
import { headroomsFor } from "../admission/headroom.ts";
import { limitScopes, refuseFullLimit } from "../admission/rate-limits.ts";
import { moneyRefusal } from "../admission/insufficient-credit.ts";

/**
 * Rejects a request whose body is still to be received, where its key and its headers alone decide: it cannot be paid for and the key
 * may call no free model, or a rate limit is reached; unless it may be a replay or is a dry run, which need neither. It asks in the order
 * of `admit`, which decides about every other request. Returns the credit or budget that does not pay, where the request may cost nothing
 * all the same.
 */
export function checkBeforeBody(caller: KeyRecord, headers: HeaderFields, gateway: Gateway): Headroom | undefined {
  const nowMs = gateway.nowMs();
  const account = gateway.accountOf(caller);
  const needsNothing = isDryRun(headers) || hasEarlier(caller, headers, gateway);
  const room = headroomsFor(caller, account, gateway.ledger, nowMs).toSorted(tightestFirst)[0]!;
  const { paidNanos, canBeFree } = cheapestRequest(caller, account, room.leftNanos, gateway.catalog.snapshot(), nowMs);
  const pays = paidNanos === undefined ? room.leftNanos > 0n : paidNanos <= room.leftNanos;
  if (!pays && !needsNothing && !canBeFree && paidNanos !== undefined) {
    gateway.bodies.noteRejected("no_credit");
    throw tooExpensive(room, paidNanos);
  }
  if (!needsNothing) refuseFullLimit(limitScopes(caller, account), gateway);
  return pays ? undefined : room;
}

function tooExpensive(room: Headroom, costNanos: Nanos): GatewayError {
  return moneyRefusal(room, room.leftIfIdleNanos !== room.leftNanos && costNanos <= room.leftIfIdleNanos, whatItDoesNotPayFor);
}

function whatItDoesNotPayFor(left: string): string {
  return `${left.charAt(0).toUpperCase()}${left.slice(1)}, which does not pay for a request to any model that this key may call`;
}
