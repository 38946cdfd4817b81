import type { FailedAttempt } from "../../../requests/attempt.ts";
import type { HoldEntry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Settlement } from "../ledger-store.ts";

/** The end of a hold with a charge, of which the account pays so much. Made for every request, so nothing is copied by the dozen. */
export function makeSettlement(id: number, hold: HoldEntry, settlement: Settlement, amountNanos: Nanos): SettleEntry {
  const { failedAttempts = [] } = settlement;
  const entry: SettleEntry = {
    kind: "settle",
    id,
    accountId: hold.accountId,
    atMs: settlement.atMs,
    actor: hold.actor,
    reason: settlement.reason,
    requestId: hold.requestId,
    keyId: hold.keyId,
    model: hold.model,
    priceVersion: hold.priceVersion,
    holdId: hold.id,
    amountNanos,
    unchargedNanos: settlement.costNanos - amountNanos,
    usage: settlement.usage,
    provenance: settlement.provenance,
    upstream: settlement.upstream,
    upstreamModel: settlement.upstreamModel,
    costVersion: settlement.costVersion,
    attempts: settlement.attempts,
  };
  return failedAttempts.length > 0 ? { ...entry, failedAttempts } : entry;
}

/** The end of a hold without a charge. */
export function makeRelease(
  id: number,
  hold: HoldEntry,
  reason: string,
  atMs: number,
  failedAttempts: readonly FailedAttempt[],
): ReleaseEntry {
  const { accountId, actor, requestId, keyId, model, priceVersion, id: holdId } = hold;
  const entry: ReleaseEntry = { kind: "release", id, accountId, atMs, actor, reason, requestId, keyId, model, priceVersion, holdId };
  return failedAttempts.length > 0 ? { ...entry, failedAttempts } : entry;
}
