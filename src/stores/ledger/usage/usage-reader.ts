import type { Database as SqliteFile } from "bun:sqlite";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { isOfNone, type AttributedUsage, type UsageReport, type UsageReportQuery } from "../ledger-record-store.ts";
import { ownerOf, ownersOf } from "./attributed-owner.ts";
import { ReportMaker, type BucketSums, type UsageSource } from "./report-maker.ts";
import { ALL_ACCOUNTS } from "./rollup-rows.ts";
import type { RollupUpdater } from "./rollup-updater.ts";
import { EVERYBODY } from "./series.ts";
import { SeriesGroups } from "./series-groups.ts";
import { ATTRIBUTION, USAGE } from "./series-tables.ts";
import { UsageSums, type Scope } from "./usage-sums.ts";

/** Reads a usage report from rollups that are up to date and do not change meanwhile. */
export class UsageReader implements UsageSource {
  readonly #updater: RollupUpdater;
  readonly #query: UsageReportQuery;
  readonly #sums: UsageSums;

  constructor(file: SqliteFile, updater: RollupUpdater, query: UsageReportQuery, signal?: CancelSignal) {
    this.#updater = updater;
    this.#query = query;
    this.#sums = new UsageSums(file, updater, signal);
  }

  report(): Promise<UsageReport> {
    return new ReportMaker(this, this.#query).report();
  }

  ofAll(query: UsageReportQuery): BucketSums {
    const { accountId, keyId, by } = query;
    // Rows of `EVERYBODY` have models and upstreams, but neither keys nor accounts.
    const isOfEach = accountId === undefined && (keyId !== undefined || by.includes("key") || by.includes("account"));
    return this.#sumsOf({
      tables: USAGE,
      owners: isOfEach ? ALL_ACCOUNTS : { one: accountId ?? EVERYBODY },
      groups: new SeriesGroups(query, this.#updater.series),
      accountId: accountId ?? EVERYBODY,
      namesOf: ({ accountId: owner, keyId: key, model, upstream }) => ({ owner, keyId: key, model, name: upstream }),
    });
  }

  ofNames(query: UsageReportQuery, wanted: AttributedUsage): BucketSums {
    const { accountId } = query;
    const { dimension, names } = wanted;
    const { attributed } = this.#updater;
    const isOfSome = accountId !== undefined && names && !isOfNone(wanted);
    return this.#sumsOf({
      tables: ATTRIBUTION,
      owners: ownersOf(dimension, accountId),
      parts: isOfSome ? attributed.book.partsWith(ownerOf(dimension, accountId), names) : undefined,
      groups: new SeriesGroups(query, attributed.book),
      accountId: accountId ?? EVERYBODY,
      namesOf: (use) => attributed.namesOf(use, dimension),
    });
  }

  yieldIfDue(): Promise<void> {
    return this.#sums.yieldIfDue();
  }

  #sumsOf(scope: Scope): BucketSums {
    return { between: async (fromMs, toMs) => ({ groups: scope.groups, sums: await this.#sums.between(fromMs, toMs, scope) }) };
  }
}
