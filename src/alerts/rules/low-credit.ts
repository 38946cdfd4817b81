import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";
import type { Account } from "../../access/account.ts";
import { makeAlert } from "../alert.ts";
import { formatDollars } from "../../money/money.ts";
import { crossing, type Found, type Marks } from "./crossing.ts";
import type { Refused } from "./refusals.ts";

/**
 * `credit.low`: an account has less than its threshold left, or, where it has none, nothing, or too little for a request. What each
 * may cost is set aside first, so that most credit is never spent to the end. One that never spent anything is not low but new.
 */
export function checkLowCredit(account: Account, refused: Refused, ledger: LedgerStore, marks: Marks, nowMs: number): Found[] {
  const { id, name, lowCreditNanos } = account;
  const { creditNanos } = ledger.balanceOf(id);
  const { totalNanos } = ledger.spendingOf("account", id, nowMs);
  const subject = `credit ${id}`;
  // Requests that are refused leave nothing behind to look at: it stays so for as long as nobody gives or takes credit.
  const refusedValue = `refused ${creditNanos + totalNanos}`;
  const wasRefused = marks.get(subject)?.value === refusedValue;
  const refusedAt = refused.get("credit");
  // Where there is more than at the refusal, credit was added meanwhile.
  const isRefused = lowCreditNanos === null && (wasRefused || (refusedAt !== undefined && creditNanos <= refusedAt));
  const isLow = totalNanos > 0n && (lowCreditNanos === null ? creditNanos <= 0n : creditNanos < lowCreditNanos);
  const condition = { subject, isSo: isLow || isRefused, value: isLow ? "low" : refusedValue };
  return crossing(condition, marks, nowMs, () => {
    if (wasRefused) return undefined;
    const data = { account: { id, name }, credit: formatDollars(creditNanos), low_credit: formatDollars(lowCreditNanos ?? 0n) };
    return makeAlert("credit.low", data, nowMs);
  });
}
