import type { Database as SqliteFile } from "bun:sqlite";
import { CallerGone } from "../../../lib/async/caller-gone.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import type { AttributionOverflows, UsageReportQuery, UsageReport } from "../ledger-record-store.ts";
import type { ErasedNames } from "../erasure/erase-attribution.ts";
import { DEFAULT_NAMES_PER_DAY } from "./rollup-builder.ts";
import { RollupUpdater } from "./rollup-updater.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";

/** Usage reports: rollups that are updated in the background, and read for one report at a time. */
export class UsageReports {
  readonly #updater: RollupUpdater;
  #lastReport: Promise<unknown> = Promise.resolve();

  constructor(file: SqliteFile, namesPerDay = DEFAULT_NAMES_PER_DAY) {
    this.#updater = new RollupUpdater(file, { namesPerDay });
  }

  get overflows(): AttributionOverflows {
    return this.#updater.overflows;
  }

  note(entries: readonly Entry[]): void {
    this.#updater.note(entries);
  }

  /** Creates a report. Throws `CallerGone` when the signal is aborted, so that the next report need not wait for an abandoned one. */
  report(query: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport> {
    return this.#afterLast(() => {
      if (signal?.aborted) throw new CallerGone();
      return this.#updater.report(query, signal);
    });
  }

  /** The first tags of an account, by name, that have rollups on or after the day of a moment. */
  tagsOf(accountId: string, sinceMs: number): Promise<string[]> {
    return this.#afterLast(() => this.#updater.tagsOf(accountId, sinceMs));
  }

  /** Erases names from the rollups, and returns the last entry that they include. The next report waits for this. */
  eraseNames(accountId: string, names: ErasedNames): Promise<number> {
    return this.#afterLast(() => this.#updater.eraseNames(accountId, names));
  }

  close(): void {
    this.#updater.close();
  }

  #afterLast<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#lastReport.then(work);
    this.#lastReport = result.catch(() => undefined);
    return result;
  }
}
