import type { FailedAttempt } from "../../../money/failed-attempt.ts";
import type { HoldEntry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Settlement } from "../ledger-store.ts";

/**
 * The settlement of a hold, with the charged amount, by the price of the model that served the request. Built field by field, because
 * object spreads would cost more on the path of every request.
 */
export function makeSettlement(id: number, hold: HoldEntry, settlement: Settlement, amountNanos: Nanos): SettleEntry {
  const { failedAttempts = [], servedBy = hold } = settlement;
  const entry: SettleEntry = {
    kind: "settle",
    id,
    accountId: hold.accountId,
    atMs: settlement.atMs,
    actor: hold.actor,
    reason: settlement.reason,
    requestId: hold.requestId,
    keyId: hold.keyId,
    model: servedBy.model,
    priceVersion: servedBy.priceVersion,
    attribution: hold.attribution,
    holdId: hold.id,
    amountNanos,
    unchargedNanos: settlement.costNanos - amountNanos,
    usage: settlement.usage,
    provenance: settlement.provenance,
    upstream: settlement.upstream,
    upstreamModel: settlement.upstreamModel,
    costVersion: settlement.costVersion,
    upstreamCostNanos: settlement.upstreamCostNanos,
    attempts: settlement.attempts,
  };
  return failedAttempts.length > 0 ? { ...entry, failedAttempts } : entry;
}

/** The release of a hold. */
export function makeRelease(
  id: number,
  hold: HoldEntry,
  reason: string,
  atMs: number,
  failedAttempts: readonly FailedAttempt[],
): ReleaseEntry {
  const { accountId, actor, requestId, keyId, model, priceVersion, attribution, id: holdId } = hold;
  const request = { requestId, keyId, model, priceVersion, attribution };
  const entry: ReleaseEntry = { kind: "release", id, accountId, atMs, actor, reason, ...request, holdId };
  return failedAttempts.length > 0 ? { ...entry, failedAttempts } : entry;
}
