import type { Nanos } from "../../money/money.ts";

/** What was spent in a day of the calendar in UTC, and in how many of its hours. */
export interface DaySpending {
  /** Days since 1970. */
  readonly day: number;
  readonly nanos: Nanos;
  readonly hours: number;
}

/** What is known of a key's spending up to the end of an hour. */
export interface HourlySpend {
  /** Hours since 1970. */
  readonly hour: number;
  /** Spent in that hour, so far. It is in no day yet. */
  readonly nanos: Nanos;
  /** Spent ever, so far: what is more than this has come later. */
  readonly totalNanos: Nanos;
  /** The days before, oldest first. */
  readonly days: readonly DaySpending[];
}

/** Keeps what keys usually spend in an hour. It is to be known, not to be proven: the ledger has the sums. */
export interface HourlySpendStore {
  /** What is known of these keys; those of which nothing is are left out. */
  find(keyIds: readonly string[]): Promise<ReadonlyMap<string, HourlySpend>>;
  /** Writes what is known of some keys. Throws where it cannot be written. */
  put(hours: readonly (readonly [keyId: string, HourlySpend])[]): Promise<void>;
}
