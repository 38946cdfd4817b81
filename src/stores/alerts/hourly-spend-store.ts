import type { Nanos } from "../../money/money.ts";

/** The spend of one calendar day (UTC), and in how many of its hours there was any. */
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
  /** Spent in that hour so far. `days` does not include it yet. */
  readonly nanos: Nanos;
  /** The key's total spend so far. What the ledger has beyond this was spent later. */
  readonly totalNanos: Nanos;
  /** The days before, oldest first. */
  readonly days: readonly DaySpending[];
}

/** The hourly spend baseline of each key, for the alert on unusual spend. An estimate for alerts: the exact sums are in the ledger. */
export interface HourlySpendStore {
  /** The baselines of these keys. Keys without one are not in the map. */
  find(keyIds: readonly string[]): Promise<ReadonlyMap<string, HourlySpend>>;
  /**
   * Replaces the baselines of some keys, all or none. They survive a crash of the process when this resolves, but not necessarily a loss of
   * power. Throws `StorageUnavailable` while the database cannot be written.
   */
  put(hours: readonly (readonly [keyId: string, HourlySpend])[]): Promise<void>;
}
