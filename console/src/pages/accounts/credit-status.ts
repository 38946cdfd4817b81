import { nanosOf } from "../../parts/format/dollars.ts";
import type { Account } from "../../../../platform-client/types.ts";

export type CreditStatus = "enough" | "low" | "out";

/** Out of credit: at or below zero, including the credit line. Low: below the account's threshold. */
export function creditStatusOf({ available, low_credit: low }: Pick<Account, "available" | "low_credit">): CreditStatus {
  if (available === null) return "enough";
  const nanos = nanosOf(available)!;
  if (nanos <= 0n) return "out";
  return low !== null && nanos < nanosOf(low)! ? "low" : "enough";
}
