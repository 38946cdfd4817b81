import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { hasCaps, smaller, tightestCap, type Remaining } from "../../money/headroom.ts";
import { formatDollars } from "../../money/money.ts";
import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";

/**
 * What remains of the account's credit and of the tightest spend cap of key and account, by the figures that requests are admitted by: where
 * processes share the ledger, what the others have leased counts as held. Undefined where the account does not show it.
 */
export function remainingFor(caller: KeyRecord, account: Account, ledger: LedgerStore, nowMs: number): Remaining | undefined {
  if (!account.showCredit) return undefined;
  const { creditNanos, heldNanos } = ledger.balanceOf(account.id);
  const ofKey = hasCaps(caller.caps) ? tightestCap(caller.caps, ledger.spendingOf("key", caller.id, nowMs)) : undefined;
  const ofAccount = hasCaps(account.caps) ? tightestCap(account.caps, ledger.spendingOf("account", account.id, nowMs)) : undefined;
  return { creditNanos: creditNanos - heldNanos, capNanos: smaller(ofKey, ofAccount) };
}

export function setRemainingHeaders(headers: Record<string, string>, { creditNanos, capNanos }: Remaining): void {
  headers["x-tollgate-credit-remaining"] = formatDollars(creditNanos);
  if (capNanos !== undefined) headers["x-tollgate-cap-remaining"] = formatDollars(capNanos);
}
