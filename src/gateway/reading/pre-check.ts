import type { Exchange } from "../../http/endpoint.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { ApiError } from "../../requests/api-error.ts";
import type { Nanos } from "../../money/money.ts";
import { tightestFirst, type Headroom } from "../../money/headroom.ts";
import { minimumCost } from "../admission/cost-bound.ts";
import { headroomsFor, pursesOf, insufficientCredit } from "../admission/headroom.ts";
import { limitScopes, rejectIfLimitReached } from "../admission/rate-limits.ts";
import { isDryRun } from "../dry-run/dry-run.ts";
import type { CallerFormat } from "../formats/caller-format.ts";
import type { Gateway } from "../gateway.ts";
import { hasEarlier } from "../idempotency.ts";

/**
 * Rejects a request before its body is received, if the key and the headers are enough to decide: every model that the key may call costs
 * more than it can pay, or a rate limit is reached. Otherwise, a body could take `TOLLGATE_MAX_BODY_BYTES` of memory for the longest
 * allowed upload time. Dry runs and possible replays need neither credit nor limits. The checks are in the same order as in `admit`.
 *
 * Most bodies arrive together with their headers and need no such check: they are in memory already, and `admit`, which knows the model,
 * decides.
 *
 * Returns the exhausted credit or spend cap of a request that may still be free.
 */
export async function preCheck(
  format: CallerFormat,
  caller: KeyRecord,
  { request }: Exchange,
  gateway: Gateway,
): Promise<Headroom | undefined> {
  const isExempt = isDryRun(request.headers) || (await hasEarlier(caller, request.headers, format, gateway));
  const nowMs = gateway.nowMs();
  const account = gateway.accountOf(caller);
  let tightest = tightestFor(caller, account, gateway, nowMs);
  const { paidNanos, canBeFree } = minimumCost(caller, account, tightest.leftNanos, gateway.catalog.snapshot(account.priceList), nowMs);
  if (gateway.ledger.leases && !isExempt && (paidNanos ?? 1n) > tightest.leftNanos) {
    await gateway.ledger.leases.widen(pursesOf(caller, account), paidNanos ?? 1n);
    tightest = tightestFor(caller, account, gateway, nowMs);
  }
  const isPayable = paidNanos === undefined ? tightest.leftNanos > 0n : paidNanos <= tightest.leftNanos;
  if (!isPayable && !isExempt && !canBeFree && paidNanos !== undefined) {
    gateway.bodies.noteRejected("no_credit");
    throw tooExpensive(tightest, paidNanos);
  }
  if (!isExempt) await rejectIfLimitReached(limitScopes(caller, account), gateway);
  return isPayable ? undefined : tightest;
}

function tightestFor(caller: KeyRecord, account: Account, { ledger }: Gateway, nowMs: number): Headroom {
  return headroomsFor(caller, account, ledger, nowMs).toSorted(tightestFirst)[0]!;
}

function tooExpensive(headroom: Headroom, costNanos: Nanos): ApiError {
  const isEnoughWhenIdle = headroom.leftIfIdleNanos !== headroom.leftNanos && costNanos <= headroom.leftIfIdleNanos;
  const enough = headroom.leftNanos < 0n ? "" : ", which does not pay for a request to any model that this key may call";
  return insufficientCredit(
    headroom,
    isEnoughWhenIdle,
    (remaining) => `${remaining.charAt(0).toUpperCase()}${remaining.slice(1)}${enough}`,
  );
}
