import { dollarsOf, nanosOf } from "../../parts/format/dollars.ts";
import { exactMoney } from "../../parts/format/format.ts";
import type { Account } from "../../../../platform-client/types.ts";
import type { Tone } from "../../parts/notice.tsx";

interface BalancePreview {
  readonly text: string;
  readonly tone: Tone;
  readonly isDeduction: boolean;
  /** The amount, without a sign. */
  readonly amount: string;
}

/**
 * The balance after a change by this amount; undefined while the typed amount is incomplete. If no limit applies, only the credit counts.
 */
export function balanceAfter({ available, credit }: Pick<Account, "available" | "credit">, typed: string): BalancePreview | undefined {
  const change = nanosOf(typed);
  if (change === undefined || change === 0n) return undefined;
  const isUnlimited = available === null;
  const before = available ?? credit;
  const after = nanosOf(before)! + change;
  const isDeduction = change < 0n;
  const text = `${isUnlimited ? "Credit" : "Available"}: ${exactMoney(before)}. After this: ${exactMoney(dollarsOf(after))}.`;
  const amount = exactMoney(dollarsOf(isDeduction ? -change : change));
  if (after <= 0n && !isUnlimited) return { text: `${text} Paid requests will be rejected.`, tone: "warn", isDeduction, amount };
  return { text, tone: isDeduction ? "warn" : "plain", isDeduction, amount };
}
