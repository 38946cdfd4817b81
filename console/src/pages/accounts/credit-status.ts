import { nanosOf } from "../../parts/dollars.ts";
import type { Account } from "../../platform/interface.ts";

export type CreditStatus = "enough" | "low" | "out";

/** Whether an account can go on: with nothing available it cannot; below its own mark it soon cannot. */
export function creditStatusOf({ available, low_credit: low }: Pick<Account, "available" | "low_credit">): CreditStatus {
  const nanos = nanosOf(available)!;
  if (nanos <= 0n) return "out";
  return low !== null && nanos < nanosOf(low)! ? "low" : "enough";
}
