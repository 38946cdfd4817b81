import type { Nanos } from "../../../money/money.ts";
import type { JournalEntry } from "../journal/journal-fields.ts";
import type { Lease, Purse } from "./purse.ts";

/**
 * A change of a lease. It states the lease wanted in total, never a difference, so that sending it again is harmless.
 *
 * | bound | meaning |
 * |---|---|
 * | `at_least` | raise the lease to this amount, or to what the purse has left |
 * | `at_most` | return everything above this amount |
 * | `overdraw` | like `at_least`, but beyond the credit if the account is not below zero: a cost above its hold is charged all the same |
 */
export interface LeaseChange {
  readonly kind: "lease";
  /** Its number in the sequence of the process. */
  readonly id: number;
  readonly purse: Purse;
  readonly bound: "at_least" | "at_most" | "overdraw";
  readonly nanos: Nanos;
}

/** All leases of a process, for an authority that was restored from a backup and may not know them. */
export interface LeaseStatement {
  readonly kind: "statement";
  /** Its number in the sequence of the process. */
  readonly id: number;
  readonly leases: readonly Lease[];
}

/**
 * A change made by a gateway process. The changes of a process are numbered without gaps by their `id`, and are in its journal before they
 * take effect. The authority gives entries their ids in the ledger when it applies them.
 */
export type ProcessChange = JournalEntry | LeaseChange | LeaseStatement;
