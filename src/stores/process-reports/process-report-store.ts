import type { SpendLimit } from "../../money/headroom.ts";
import type { Nanos } from "../../money/money.ts";
import type { Spender } from "../../money/tally.ts";

/** A limit of an account or a key that was too low for a request, with what was left of it. */
export interface RefusedLimit {
  readonly scope: Spender;
  readonly id: string;
  readonly what: SpendLimit["what"];
  readonly leftNanos: Nanos;
}

/**
 * What processes that share a database report to each other, for alerts and operators. For information only: after a crash of the database it
 * is empty. All methods throw `StorageUnavailable`.
 */
export interface ProcessReportStore {
  /** Replaces this process's report of its upstreams. */
  reportUpstreams(report: string): Promise<void>;
  /** The last reports of the other live processes, by process. */
  upstreamReports(): Promise<ReadonlyMap<string, string>>;
  /** Adds limits that have rejected requests. */
  addRefusals(refused: readonly RefusedLimit[]): Promise<void>;
  /** Takes what all processes have added: each is taken once. */
  takeRefusals(): Promise<readonly RefusedLimit[]>;
  /** Removes this process's report. */
  forget(): Promise<void>;
}
