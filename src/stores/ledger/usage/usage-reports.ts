import type { Database as SqliteFile } from "bun:sqlite";
import { CallerGone } from "../../../lib/async/caller-gone.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import type { AttributionOverflows, UsageReportQuery, UsageReport } from "../ledger-record-store.ts";
import type { ErasedNames } from "../erasure/erase-attribution.ts";
import { UsageReader } from "./usage-reader.ts";
import { DEFAULT_NAMES_PER_DAY, RollupUpdater } from "./rollup-updater.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";

/** Usage reports: rollups that are updated in the background, and read for one report at a time. */
export class UsageReports {
  readonly #file: SqliteFile;
  readonly #updater: RollupUpdater;
  #lastReport: Promise<unknown> = Promise.resolve();

  constructor(file: SqliteFile, namesPerDay = DEFAULT_NAMES_PER_DAY) {
    this.#file = file;
    this.#updater = new RollupUpdater(file, { namesPerDay });
  }

  get overflows(): AttributionOverflows {
    return this.#updater.attributed.overflows;
  }

  note(entries: readonly Entry[]): void {
    this.#updater.note(entries);
  }

  /** Throws `CallerGone` when the signal is aborted, so that the next report need not wait for an abandoned one. */
  report(query: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport> {
    const report = this.#lastReport.then(() => {
      if (signal?.aborted) throw new CallerGone();
      return this.#updater.read(() => new UsageReader(this.#file, this.#updater, query, signal).report());
    });
    this.#lastReport = report.catch(() => undefined);
    return report;
  }

  /** Erases names from the rollups, and returns the last entry that they include. The next report waits for it. */
  eraseNames(accountId: string, names: ErasedNames): Promise<number> {
    const erased = this.#lastReport.then(() => this.#updater.eraseNames(accountId, names));
    this.#lastReport = erased.catch(() => undefined);
    return erased;
  }

  close(): void {
    this.#updater.close();
  }
}
