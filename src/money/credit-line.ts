import { dollarsSchema, readDollars } from "./declared-limits.ts";
import { formatDollars, MAX_NANOS, type Nanos } from "./money.ts";
import type { Caps } from "./limits.ts";
import type { Schema } from "../lib/schema/schema.ts";

/** How far below zero the credit of an account may go, which is then billed afterwards: an amount, zero for none, or any amount. */
export type CreditLine = Nanos | "unlimited";

/** What limits the spending from a purse, beside its credit: spend caps, and the credit line of an account. */
export interface PurseTerms extends Caps {
  readonly creditLine?: CreditLine;
}

export const NO_CREDIT_LINE: CreditLine = 0n;

/** What an account without a limit may hold at a time: as much as the highest credit with the highest credit line, and within 64 bits. */
const UNLIMITED_NANOS: Nanos = 2n * MAX_NANOS;

const UNLIMITED = "unlimited";

export const creditLineSchema = {
  type: "string",
  nullable: true,
  pattern: `^(${UNLIMITED}|${dollarsSchema.pattern.slice(1, -1)})$`,
  patternInWords: 'an amount of dollars as text, such as "50.00", or "unlimited"',
  description:
    "How far below zero its credit may go, in dollars, for an account that is billed afterwards; `unlimited` where credit never limits it. Null: not below zero. Spend caps apply all the same.",
} as const satisfies Schema;

export function readCreditLine(text: string | null | undefined): CreditLine {
  return text === UNLIMITED ? UNLIMITED : (readDollars(text) ?? NO_CREDIT_LINE);
}

export function viewCreditLine(line: CreditLine): string | null {
  if (line === UNLIMITED) return UNLIMITED;
  return line === NO_CREDIT_LINE ? null : formatDollars(line);
}

/** What requests may hold in all, given the credit: with the credit line. */
export function spendable(creditNanos: Nanos, line: CreditLine): Nanos {
  // Without a line, as most accounts are, the sum need not be allocated.
  if (line === NO_CREDIT_LINE) return creditNanos;
  return line === UNLIMITED ? UNLIMITED_NANOS : creditNanos + line;
}

/** What remains for the next request; null where the credit never limits it. */
export function availableCredit(creditNanos: Nanos, heldNanos: Nanos, line: CreditLine): Nanos | null {
  return line === UNLIMITED ? null : creditNanos + line - heldNanos;
}
