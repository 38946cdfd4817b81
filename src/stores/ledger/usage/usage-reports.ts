import type { Database as SqliteFile } from "bun:sqlite";
import { CallerGone } from "../../../lib/async/caller-gone.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import type { UsageReportQuery, UsageReport } from "../ledger-store.ts";
import { UsageReader } from "./usage-reader.ts";
import { RollupUpdater } from "./rollup-updater.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";

/** What was used in sum: kept up with the entries in the background, and read for one report at a time. */
export class UsageReports {
  readonly #file: SqliteFile;
  readonly #roller: RollupUpdater;
  #lastReport: Promise<unknown> = Promise.resolve();

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#roller = new RollupUpdater(file);
  }

  note(entries: readonly Entry[]): void {
    this.#roller.note(entries);
  }

  /** Throws as soon as the caller has left: nobody else waits for what nobody reads. */
  report(question: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport> {
    const report = this.#lastReport.then(() => {
      if (signal?.aborted) throw new CallerGone();
      return this.#roller.read(() => new UsageReader(this.#file, this.#roller, question, signal).report());
    });
    this.#lastReport = report.catch(() => undefined);
    return report;
  }

  close(): void {
    this.#roller.close();
  }
}
