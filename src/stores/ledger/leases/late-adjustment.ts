import type { CreditEntry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { ProcessChange } from "./process-change.ts";

/**
 * A process that was written off is back: the difference between a charge in its journal and the charge of the write-off is an adjustment.
 * Its reference is unique, and the account may go below zero by it. Undefined where there is no difference.
 */
export function makeLateAdjustment(
  end: SettleEntry | ReleaseEntry,
  chargeOf: (requestId: string) => Nanos | undefined,
  id: number,
): CreditEntry | undefined {
  const { accountId, atMs, keyId, model, requestId } = end;
  const cost = end.kind === "settle" ? end.amountNanos : 0n;
  const amountNanos = (chargeOf(requestId) ?? 0n) - cost;
  if (amountNanos === 0n) return undefined;
  const reason = `the process that served ${requestId} (${model}, key ${keyId}) was written off and came back`;
  return { kind: "adjustment", id, accountId, atMs, actor: "recovery", reason, amountNanos, reference: `late:${requestId}` };
}

/** The entry that a change ends a hold with, if any. */
export function endIn(change: ProcessChange): SettleEntry | ReleaseEntry | undefined {
  const entry = change.kind === "direct" ? change.settled?.entry : change.kind === "confirmed" ? change.entry : change;
  return entry?.kind === "settle" || entry?.kind === "release" ? entry : undefined;
}
