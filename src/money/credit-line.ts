import { dollarsSchema, readDollars } from "./declared-limits.ts";
import { formatDollars, MAX_NANOS, type Nanos } from "./money.ts";
import type { Caps } from "./limits.ts";
import type { Schema } from "../lib/schema/schema.ts";

/** How far below zero the credit of an account that is billed afterwards may go: an amount, zero for no credit line, or unlimited. */
export type CreditLine = Nanos | "unlimited";

/** The limits of a purse in addition to its credit: spend caps, and the credit line of an account. */
export interface PurseTerms extends Caps {
  readonly creditLine?: CreditLine;
}

export const NO_CREDIT_LINE: CreditLine = 0n;

/** The maximum holds of an account without a limit: the highest credit plus the highest credit line, which is within 64 bits. */
const UNLIMITED_NANOS: Nanos = 2n * MAX_NANOS;

const UNLIMITED = "unlimited";

export const creditLineSchema = {
  type: "string",
  nullable: true,
  pattern: `^(${UNLIMITED}|${dollarsSchema.pattern.slice(1, -1)})$`,
  patternInWords: 'an amount of dollars as text, such as "50.00", or "unlimited"',
  description:
    "How far below zero its credit may go, in dollars, for an account that is billed afterwards; `unlimited` if credit never limits it. Null: not below zero. Spend caps apply all the same.",
} as const satisfies Schema;

export function readCreditLine(text: string | null | undefined): CreditLine {
  return text === UNLIMITED ? UNLIMITED : (readDollars(text) ?? NO_CREDIT_LINE);
}

export function viewCreditLine(line: CreditLine): string | null {
  if (line === UNLIMITED) return UNLIMITED;
  return line === NO_CREDIT_LINE ? null : formatDollars(line);
}

/** The maximum sum of holds, given the credit: the credit plus the credit line. */
export function spendable(creditNanos: Nanos, line: CreditLine): Nanos {
  // Most accounts have no credit line. For these, the sum need not be allocated.
  if (line === NO_CREDIT_LINE) return creditNanos;
  return line === UNLIMITED ? UNLIMITED_NANOS : creditNanos + line;
}

/** The remaining amount for the next request; null if the credit never limits it. */
export function availableCredit(creditNanos: Nanos, heldNanos: Nanos, line: CreditLine): Nanos | null {
  return line === UNLIMITED ? null : creditNanos + line - heldNanos;
}
