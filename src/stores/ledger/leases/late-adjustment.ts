import type { CreditEntry, Entry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { ProcessChange } from "./process-change.ts";

const LATE = "late:";

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
  return { kind: "adjustment", id, accountId, atMs, actor: "recovery", reason, amountNanos, reference: `${LATE}${requestId}` };
}

/** What a late adjustment has charged for which request. Undefined for any other entry. */
export function lateChargeIn(entry: Entry): { readonly requestId: string; readonly nanos: Nanos } | undefined {
  if (entry.kind !== "adjustment" || !entry.reference.startsWith(LATE)) return undefined;
  return { requestId: entry.reference.slice(LATE.length), nanos: -entry.amountNanos };
}

/** The entry that a change ends a hold with, if any. */
export function endIn(change: ProcessChange): SettleEntry | ReleaseEntry | undefined {
  const entry = change.kind === "direct" ? change.settled?.entry : change.kind === "confirmed" ? change.entry : change;
  return entry?.kind === "settle" || entry?.kind === "release" ? entry : undefined;
}
