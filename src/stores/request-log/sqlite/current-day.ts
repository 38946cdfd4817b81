import { messageOf } from "../log-database.ts";
import { dayIn } from "../log-day.ts";
import { isCorruption, hasForeignSchema } from "./day-errors.ts";
import { DayWriter } from "./day-writer.ts";
import type { Retention } from "../retention.ts";
import type { LogFolder } from "./log-folder.ts";
import type { PendingSums } from "../statistics/pending-sums.ts";

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface CurrentDayOptions {
  readonly folder: LogFolder;
  readonly retention: Retention;
  /** Called when the log becomes unwritable, and with undefined when it is writable again. */
  readonly report: (failure: string | undefined) => void;
  /** Called with the new name of a quarantined file: the file is damaged, or of a future day. */
  readonly reportDamaged: (path: string) => void;
  /** Closes readers of a day whose file is replaced. */
  readonly forget: (day: string) => void;
}

/**
 * The day file that is written to, and its failures: the folder may be missing, the disk full, the file locked, damaged or removed. Each
 * attempt starts from the files that exist at that moment. Failed attempts are retried with exponential backoff.
 */
export class CurrentDay {
  readonly #options: CurrentDayOptions;
  #writer: DayWriter | undefined;
  /** The newest day with a file, once it is known. */
  #lastDay: string | undefined;
  #failure: string | undefined;
  #retryMs = 0;
  #retryAt = 0;
  /** The day of a damaged file, until a new one has been written. */
  #damagedDay: string | undefined;

  constructor(options: CurrentDayOptions) {
    this.#options = options;
  }

  /** Why the log cannot be written at the moment; undefined if it can. */
  get failure(): string | undefined {
    return this.#failure;
  }

  get isRetryDue(): boolean {
    return performance.now() >= this.#retryAt;
  }

  /** The time span of the day file that a request belongs to, by the time when the request ended. */
  spanAround(endedAtMs: number): { startMs: number; endMs: number } {
    const startMs = Date.parse(this.#dayFor(endedAtMs));
    return { startMs, endMs: startMs + DAY_MS };
  }

  /** Writes to the day file of a moment. Returns whether that succeeded. If not, a part may still be in the file. */
  write(atMs: number, write: (writer: DayWriter) => void): boolean {
    const day = this.#dayFor(atMs);
    try {
      write(this.#writerFor(day));
    } catch (error) {
      this.#closeWriter();
      // If a new file is damaged at once, the cause is probably the disk, not the file.
      if (day === this.#damagedDay || !(isCorruption(error) || hasForeignSchema(error))) return this.#fail(error);
      this.#damagedDay = day;
      return this.#try(() => this.quarantine(day)) && this.write(atMs, write);
    }
    this.#damagedDay = undefined;
    return this.#succeed();
  }

  /** Enforces retention. Returns whether that succeeded. */
  enforceRetention(): boolean {
    return this.#try(() => {
      this.#options.retention.enforce();
      this.#quarantineFutureDays();
    });
  }

  /** Ends a reported failure without a write, if there is nothing to write. */
  recover(): void {
    this.#succeed();
  }

  /** Renames a damaged day file, so that a new file replaces it. */
  quarantine(day: string): void {
    const { folder, forget, reportDamaged } = this.#options;
    this.#closeWriter();
    forget(day);
    reportDamaged(folder.quarantine(day));
  }

  /** The sums of rows that are in no stored sum of a day; undefined if they are not known. */
  pendingSums(day: string): PendingSums | undefined {
    return this.#openWriter(day)?.pendingSums;
  }

  /** Backfills the sums of some rows of a day that are in no stored sum. The file must exist. */
  backfill(day: string): void {
    const open = this.#openWriter(day);
    if (open) return open.backfill();
    const writer = new DayWriter(day, this.#options.folder.fileOf(day));
    try {
      writer.backfill();
    } finally {
      writer.close();
    }
  }

  close(): void {
    this.#closeWriter();
  }

  /**
   * Quarantines files of future days: requests that were written while the wall clock was far ahead would otherwise be listed as the newest
   * until that day.
   */
  #quarantineFutureDays(): void {
    const lastDay = this.#options.retention.lastDay();
    this.#lastDay ??= this.#newestDay();
    if (lastDay === undefined) return;
    while (this.#lastDay > lastDay) {
      this.quarantine(this.#lastDay);
      this.#lastDay = this.#newestDay();
    }
  }

  #dayFor(ms: number): string {
    this.#lastDay ??= this.#newestDay();
    return dayIn(this.#lastDay, ms);
  }

  /** The newest day among the files of earlier processes. */
  #newestDay(): string {
    try {
      return this.#options.folder.days().at(-1) ?? "";
    } catch {
      return "";
    }
  }

  #writerFor(day: string): DayWriter {
    const open = this.#openWriter(day);
    if (open) return open;
    const { folder, forget } = this.#options;
    this.#closeWriter();
    folder.make();
    forget(day);
    this.#writer = new DayWriter(day, folder.fileOf(day));
    if (!(this.#lastDay! >= day)) this.#lastDay = day;
    return this.#writer;
  }

  #openWriter(day: string): DayWriter | undefined {
    return this.#writer?.day === day && !this.#writer.isGone ? this.#writer : undefined;
  }

  #closeWriter(): void {
    this.#writer?.close();
    this.#writer = undefined;
  }

  #try(step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(error: unknown): false {
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2 || FIRST_RETRY_MS);
    this.#retryAt = performance.now() + this.#retryMs;
    this.#report(messageOf(error));
    return false;
  }

  #succeed(): true {
    this.#retryMs = 0;
    this.#report(this.#options.retention.fullReason);
    return true;
  }

  #report(failure: string | undefined): void {
    const isNews = (failure === undefined) !== (this.#failure === undefined);
    this.#failure = failure;
    if (isNews) this.#options.report(failure);
  }
}
