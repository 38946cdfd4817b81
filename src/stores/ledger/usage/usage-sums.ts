import type { Database as SqliteFile } from "bun:sqlite";
import type { UsageQuestion, UsageReport } from "../ledger-store.ts";
import { UsageReader } from "./report.ts";
import { UsageRoller, type Noted } from "./roller.ts";

/** What was used in sum: kept up with the entries in the background, and read for one report at a time. */
export class UsageSums {
  readonly #file: SqliteFile;
  readonly #roller: UsageRoller;
  #lastReport: Promise<unknown> = Promise.resolve();

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#roller = new UsageRoller(file);
  }

  note(items: readonly Noted[]): void {
    this.#roller.note(items);
  }

  report(question: UsageQuestion): Promise<UsageReport> {
    const report = this.#lastReport.then(() => this.#roller.read(() => new UsageReader(this.#file, this.#roller, question).report()));
    this.#lastReport = report.catch(() => undefined);
    return report;
  }

  close(): void {
    this.#roller.close();
  }
}
