import type { CancelSignal } from "../../../../lib/async/cancellation.ts";
import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import type { AttributedUsage, UsageReportQuery } from "../../ledger-record-store.ts";
import { toFigures } from "../../usage/figures.ts";
import type { BucketSums, UsageSource } from "../../usage/report-maker.ts";
import { ReportGroups } from "../../usage/report-groups.ts";
import { ATTRIBUTION, USAGE } from "../../usage/series-tables.ts";
import { Sums } from "../../usage/sums.ts";
import { TimeSlicer } from "../../usage/time-slicer.ts";
import { readAllUsage } from "../all-usage.ts";
import type { RollupProgress } from "../rollup-progress.ts";
import { BucketsAhead, type SumsByBucket } from "./buckets-ahead.ts";
import { NamedSums, type NamedProgress } from "./named-sums.ts";
import { Owners } from "./owners.ts";

/** The last entries in the rollups of all usage and in the rollups by name, and the limit of names. */
interface SourceProgress extends NamedProgress {
  readonly all: RollupProgress;
}

/** Usage by end user, conversation and tag, as of the snapshot of a transaction. */
export class AttributedUsageSource implements UsageSource {
  readonly #connection: PostgresConnection;
  readonly #progress: SourceProgress;
  readonly #owners: Owners;
  readonly #slicer: TimeSlicer;

  private constructor(connection: PostgresConnection, progress: SourceProgress, owners: Owners, slicer: TimeSlicer) {
    this.#connection = connection;
    this.#progress = progress;
    this.#owners = owners;
    this.#slicer = slicer;
  }

  static async open(
    connection: PostgresConnection,
    { accountId }: UsageReportQuery,
    progress: SourceProgress,
    signal: CancelSignal | undefined,
  ): Promise<AttributedUsageSource> {
    const owners = await Owners.read(connection, accountId === undefined ? undefined : [accountId]);
    return new AttributedUsageSource(connection, progress, owners, new TimeSlicer(signal));
  }

  ofAll(query: UsageReportQuery): BucketSums {
    const { accountId, keyId, model, by } = query;
    const groups = new ReportGroups(query, USAGE);
    return new BucketsAhead(groups, query.bounds, async (bounds) => {
      const sums: SumsByBucket = new Map();
      const { rows } = await readAllUsage(this.#connection, { bounds, by, accountId, keyId, model }, this.#progress.all);
      for (const { fromMs, names, ...measures } of rows) {
        if (!sums.has(fromMs)) sums.set(fromMs, new Sums());
        sums.get(fromMs)!.add(groups.withNames(names), toFigures(measures));
      }
      return sums;
    });
  }

  ofNames(query: UsageReportQuery, wanted: AttributedUsage): BucketSums {
    const groups = new ReportGroups(query, ATTRIBUTION);
    const { dimension } = wanted;
    const named = new NamedSums({
      connection: this.#connection,
      query,
      dimension,
      groups,
      owners: this.#owners,
      slicer: this.#slicer,
      ...this.#progress,
    });
    return new BucketsAhead(groups, query.bounds, (bounds) => named.read(bounds));
  }

  yieldIfDue(): Promise<void> {
    return this.#slicer.yieldIfDue();
  }
}
