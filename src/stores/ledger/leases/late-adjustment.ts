import type { Entry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Usage } from "../../../money/usage.ts";
import type { ProcessChange } from "./process-change.ts";

/** The prefix of the request ids of late entries. The auditor knows it, too. */
const LATE = "late:";

const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/**
 * A process that was written off is back. The difference between the charge in its journal and the charge of the write-off is charged under
 * a separate, unique request id, to the key, the end user and the tags of the request. It may take the account below zero. If the write-off
 * has charged more, an adjustment corrects it. Returns no entries if there is no difference.
 */
export function makeLateEntries(
  end: SettleEntry | ReleaseEntry,
  chargeOf: (requestId: string) => Nanos | undefined,
  id: number,
): readonly Entry[] {
  const { accountId, atMs, keyId, model, requestId, priceVersion, attribution } = end;
  const charged = chargeOf(requestId);
  const amountNanos = (end.kind === "settle" ? end.amountNanos : 0n) - (charged ?? 0n);
  if (amountNanos === 0n) return [];
  const reason = `the process that served ${requestId} (${model}, key ${keyId}) was written off and came back`;
  const head = { accountId, atMs, actor: "recovery", reason };
  if (end.kind === "release" || amountNanos < 0n)
    return [{ kind: "adjustment", id, ...head, amountNanos: -amountNanos, reference: `${LATE}${requestId}` }];
  const request = { ...head, requestId: `${LATE}${requestId}`, keyId, model, priceVersion, attribution };
  // The write-off has already counted the tokens of the request.
  const counted = charged === undefined ? {} : { usage: NO_USAGE, upstreamCostNanos: undefined, failedAttempts: [], unchargedNanos: 0n };
  return [
    { kind: "hold", id, ...request, amountNanos },
    { ...end, ...counted, ...request, id: id + 1, holdId: id, amountNanos },
  ];
}

/** The amount that a late entry has charged, and its request. Undefined for any other entry. */
export function lateChargeIn(entry: Entry): { readonly requestId: string; readonly nanos: Nanos } | undefined {
  const isCorrection = entry.kind === "adjustment" && entry.reference.startsWith(LATE);
  if (isCorrection) return { requestId: entry.reference.slice(LATE.length), nanos: -entry.amountNanos };
  const isCharge = entry.kind === "settle" && entry.requestId.startsWith(LATE);
  return isCharge ? { requestId: entry.requestId.slice(LATE.length), nanos: entry.amountNanos } : undefined;
}

/** The request that an entry is about, including late entries. */
export function requestIdOf(entry: Entry): string {
  const id = "requestId" in entry ? entry.requestId : entry.reference;
  return id.startsWith(LATE) ? id.slice(LATE.length) : id;
}

/** The entry with which a change ends a hold, if any. */
export function endIn(change: ProcessChange): SettleEntry | ReleaseEntry | undefined {
  const entry = change.kind === "direct" ? change.settled?.entry : change.kind === "confirmed" ? change.entry : change;
  return entry?.kind === "settle" || entry?.kind === "release" ? entry : undefined;
}
