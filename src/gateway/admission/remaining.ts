import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { availableCredit } from "../../money/credit-line.ts";
import { hasCaps, smaller, tightestCap, type Remaining } from "../../money/headroom.ts";
import { formatDollars } from "../../money/money.ts";
import { NONE_CAPPED, type CappedPurse } from "./capped-purses.ts";
import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";

/**
 * What remains of the account's credit and of the tightest spend cap of key, account, end user and tags, by the figures that requests are admitted by: where
 * processes share the ledger, what the others have leased counts as held. Undefined where the account does not show it.
 */
export function remainingFor(
  caller: KeyRecord,
  account: Account,
  ledger: LedgerStore,
  nowMs: number,
  capped: readonly CappedPurse[] = NONE_CAPPED,
): Remaining | undefined {
  if (!account.showCredit) return undefined;
  const { creditNanos, heldNanos } = ledger.balanceOf(account.id);
  const ofKey = hasCaps(caller.caps) ? tightestCap(caller.caps, ledger.spendingOf("key", caller.id, nowMs), nowMs) : undefined;
  const ofAccount = hasCaps(account.caps) ? tightestCap(account.caps, ledger.spendingOf("account", account.id, nowMs), nowMs) : undefined;
  let capNanos = smaller(ofKey, ofAccount);
  for (const { purse, caps } of capped)
    capNanos = smaller(capNanos, tightestCap(caps, ledger.spendingOf(purse.scope, purse.id, nowMs), nowMs));
  return { creditNanos: availableCredit(creditNanos, heldNanos, account.creditLine), capNanos };
}

export function setRemainingHeaders(headers: Record<string, string>, { creditNanos, capNanos }: Remaining): void {
  if (creditNanos !== null) headers["x-tollgate-credit-remaining"] = formatDollars(creditNanos);
  if (capNanos !== undefined) headers["x-tollgate-cap-remaining"] = formatDollars(capNanos);
}
