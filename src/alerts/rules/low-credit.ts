import type { LedgerRecordStore } from "../../stores/ledger/ledger-record-store.ts";
import type { Account } from "../../access/account.ts";
import { spendable } from "../../money/credit-line.ts";
import { makeAlert } from "../alert.ts";
import { formatDollars } from "../../money/money.ts";
import { crossing, type Found, type Marks } from "./crossing.ts";
import type { Refused } from "./refusals.ts";

/**
 * `credit.low`: the account's balance, with its credit line, is below its threshold or, without one, zero or too low for a request. The cost
 * bound of a request is reserved first, so most balances never reach zero. An account that never spent anything is new, not low.
 */
export function checkLowCredit(account: Account, refused: Refused, ledger: LedgerRecordStore, marks: Marks, nowMs: number): Found[] {
  const { id, name, lowCreditNanos } = account;
  const creditNanos = spendable(ledger.balanceOf(id).creditNanos, account.creditLine);
  const { totalNanos } = ledger.spendingOf("account", id, nowMs);
  const subject = `credit ${id}`;
  // Rejected requests leave no ledger entry: the condition stays true until credit is added or removed.
  const refusedValue = `refused ${creditNanos + totalNanos}`;
  const wasRefused = marks.get(subject)?.value === refusedValue;
  const refusedAt = refused.get("credit");
  // With more credit than at the rejection, credit was added meanwhile.
  const isRefused = lowCreditNanos === null && (wasRefused || (refusedAt !== undefined && creditNanos <= refusedAt));
  const isLow = totalNanos > 0n && (lowCreditNanos === null ? creditNanos <= 0n : creditNanos < lowCreditNanos);
  const condition = { subject, isMet: isLow || isRefused, value: isLow ? "low" : refusedValue };
  return crossing(condition, marks, nowMs, () => {
    if (wasRefused) return undefined;
    const data = { account: { id, name }, credit: formatDollars(creditNanos), low_credit: formatDollars(lowCreditNanos ?? 0n) };
    return makeAlert("credit.low", data, nowMs);
  });
}
