import type { SpendLimit } from "../../money/headroom.ts";
import type { Nanos } from "../../money/money.ts";
import type { Spender } from "../../money/tally.ts";

/** A limit of an account or a key that has rejected a request, with the amount that was left. */
export interface RefusedLimit {
  readonly scope: Spender;
  readonly id: string;
  readonly what: SpendLimit["what"];
  readonly leftNanos: Nanos;
}

/**
 * Reports between processes that share a database, for alerts and operators. For information only: a crash of the database empties it. All
 * methods throw `StorageUnavailable`.
 */
export interface ProcessReportStore {
  /** Replaces this process's report of its upstreams. */
  reportUpstreams(report: string): Promise<void>;
  /** The last reports of the other live processes, by process. */
  upstreamReports(): Promise<ReadonlyMap<string, string>>;
  /** Adds limits that have rejected requests. */
  addRefusals(refused: readonly RefusedLimit[]): Promise<void>;
  /** Takes and removes the limits that all processes have added: each is returned once. */
  takeRefusals(): Promise<readonly RefusedLimit[]>;
  /** Removes this process's report. */
  forget(): Promise<void>;
}
