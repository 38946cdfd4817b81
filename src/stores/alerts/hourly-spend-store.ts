import type { Nanos } from "../../money/money.ts";

/** The spend of one calendar day (UTC), and the number of its hours with any spend. */
export interface DaySpending {
  /** Days since 1970. */
  readonly day: number;
  readonly nanos: Nanos;
  readonly hours: number;
}

/** A key's hourly spend baseline, up to the end of an hour. */
export interface HourlySpend {
  /** Hours since 1970. */
  readonly hour: number;
  /** The spend in that hour so far. `days` does not include it yet. */
  readonly nanos: Nanos;
  /** The key's total spend so far. Any spend in the ledger beyond this total is later. */
  readonly totalNanos: Nanos;
  /** The days before that hour, oldest first. */
  readonly days: readonly DaySpending[];
}

/** The hourly spend baseline of each key, for the alert on unusual spend. An estimate for alerts: the exact sums are in the ledger. */
export interface HourlySpendStore {
  /** The baselines of these keys. Keys without a baseline are not in the map. */
  find(keyIds: readonly string[]): Promise<ReadonlyMap<string, HourlySpend>>;
  /**
   * Replaces the baselines of some keys, all or none. When this resolves, they survive a crash of the process, but not necessarily a loss
   * of power. Throws `StorageUnavailable` while the database cannot be written.
   */
  put(hours: readonly (readonly [keyId: string, HourlySpend])[]): Promise<void>;
}
