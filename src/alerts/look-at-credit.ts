import type { LedgerStore } from "../stores/ledger/ledger-store.ts";
import type { Account } from "../vocabulary/account.ts";
import { makeAlert } from "../vocabulary/alert.ts";
import { formatDollars } from "../vocabulary/money.ts";
import { crossing, type Found, type Marks } from "./crossing.ts";

/** `credit.low`: an account has less than its threshold, or nothing, left. One that never spent anything is not low but new. */
export function lookAtCredit(account: Account, ledger: LedgerStore, marks: Marks, nowMs: number): Found[] {
  const { id, name, lowCreditNanos } = account;
  const { creditNanos } = ledger.balanceOf(id);
  const isLow = lowCreditNanos === null ? creditNanos <= 0n : creditNanos < lowCreditNanos;
  const isSo = isLow && ledger.spendingOf("account", id, nowMs).totalNanos > 0n;
  return crossing({ subject: `credit ${id}`, isSo, value: "low" }, marks, nowMs, () =>
    makeAlert(
      "credit.low",
      { account: { id, name }, credit: formatDollars(creditNanos), low_credit: formatDollars(lowCreditNanos ?? 0n) },
      nowMs,
    ),
  );
}
