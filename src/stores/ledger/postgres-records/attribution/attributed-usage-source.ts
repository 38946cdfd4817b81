import type { CancelSignal } from "../../../../lib/async/cancellation.ts";
import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";
import type { AttributedUsage, UsageReportQuery } from "../../ledger-record-store.ts";
import { toFigures } from "../../usage/figures.ts";
import type { BucketSums, UsageSource } from "../../usage/report-maker.ts";
import { ReportGroups } from "../../usage/report-groups.ts";
import { ATTRIBUTION, USAGE } from "../../usage/series-tables.ts";
import { Sums } from "../../usage/sums.ts";
import { Turns } from "../../usage/turns.ts";
import { readAllUsage } from "../all-usage.ts";
import type { Reach } from "../reach.ts";
import { BucketsAhead, type SumsByBucket } from "./buckets-ahead.ts";
import { NamedSums, type NamedReach } from "./named-sums.ts";
import { Owners } from "./owners.ts";

/** The last entries in the rollups of all usage and in the rollups by name, and the limit of names. */
interface SourceReach extends NamedReach {
  readonly all: Reach;
}

/** Usage by end user, conversation and tag, as of the snapshot of a transaction. */
export class AttributedUsageSource implements UsageSource {
  readonly #connection: PostgresConnection;
  readonly #reach: SourceReach;
  readonly #owners: Owners;
  readonly #turns: Turns;

  private constructor(connection: PostgresConnection, reach: SourceReach, owners: Owners, turns: Turns) {
    this.#connection = connection;
    this.#reach = reach;
    this.#owners = owners;
    this.#turns = turns;
  }

  static async open(
    connection: PostgresConnection,
    { accountId }: UsageReportQuery,
    reach: SourceReach,
    signal: CancelSignal | undefined,
  ): Promise<AttributedUsageSource> {
    const owners = await Owners.read(connection, accountId === undefined ? undefined : [accountId]);
    return new AttributedUsageSource(connection, reach, owners, new Turns(signal));
  }

  ofAll(query: UsageReportQuery): BucketSums {
    const { accountId, keyId, model, by } = query;
    const groups = new ReportGroups(query, USAGE);
    return new BucketsAhead(groups, query.bounds, async (bounds) => {
      const sums: SumsByBucket = new Map();
      const { rows } = await readAllUsage(this.#connection, { bounds, by, accountId, keyId, model }, this.#reach.all);
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
      turns: this.#turns,
      ...this.#reach,
    });
    return new BucketsAhead(groups, query.bounds, (bounds) => named.read(bounds));
  }

  breathe(): Promise<void> {
    return this.#turns.breathe();
  }
}
