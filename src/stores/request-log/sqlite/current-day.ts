import { dayIn } from "../log-day.ts";
import { isCorruption, hasForeignSchema } from "./day-errors.ts";
import { DayWriter } from "./day-writer.ts";
import type { Retention } from "../retention.ts";
import type { LogFolder } from "./log-folder.ts";
import type { PendingSums } from "../statistics/pending-sums.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export interface CurrentDayOptions {
  readonly folder: LogFolder;
  readonly retention: Retention;
  /** Called with the new name of a quarantined file: the file is damaged, or of a future day. */
  readonly reportDamaged: (path: string) => void;
  /** Closes readers of a day whose file is replaced or deleted. */
  readonly forget: (day: string) => void;
}

/**
 * The day file that is written to. The folder may be missing, the disk full, the file locked, damaged or removed: each attempt starts from
 * the files that exist at that moment.
 */
export class CurrentDay {
  readonly #options: CurrentDayOptions;
  #writer: DayWriter | undefined;
  /** The newest day with a file, once it is known. */
  #lastDay: string | undefined;
  /** The day of a damaged file, until a new one has been written. */
  #damagedDay: string | undefined;

  constructor(options: CurrentDayOptions) {
    this.#options = options;
  }

  /** The time span of the day file that a request belongs to, by the time when the request ended. */
  spanAround(endedAtMs: number): { startMs: number; endMs: number } {
    const startMs = Date.parse(this.#dayFor(endedAtMs));
    return { startMs, endMs: startMs + DAY_MS };
  }

  /** Writes to the day file of a moment, or throws; a part may still be in the file then. */
  write(atMs: number, write: (writer: DayWriter) => void): void {
    const day = this.#dayFor(atMs);
    try {
      write(this.#writerFor(day));
    } catch (error) {
      this.close();
      // If a new file is damaged at once, the cause is probably the disk, not the file.
      if (day === this.#damagedDay || !(isCorruption(error) || hasForeignSchema(error))) throw error;
      this.#damagedDay = day;
      this.quarantine(day);
      return this.write(atMs, write);
    }
    this.#damagedDay = undefined;
  }

  /** Drops days beyond the limits. Cheap if nothing can have changed. */
  enforceRetention(): void {
    const { folder, retention } = this.#options;
    const first = retention.firstUnexpired();
    if (first !== undefined) {
      this.#dropBefore(first);
      retention.noteDropped();
    }
    if (retention.isMeasureDue()) this.#dropBefore(retention.firstThatFits(folder.sizes()));
    this.#quarantineFutureDays();
  }

  /** Renames a damaged day file, so that a new file replaces it. */
  quarantine(day: string): void {
    const { folder, forget, reportDamaged } = this.#options;
    this.close();
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
    this.#writer?.close();
    this.#writer = undefined;
  }

  #dropBefore(day: string): void {
    for (const dropped of this.#options.folder.dropBefore(day)) this.#options.forget(dropped);
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
    this.close();
    folder.make();
    forget(day);
    this.#writer = new DayWriter(day, folder.fileOf(day));
    if (!(this.#lastDay! >= day)) this.#lastDay = day;
    return this.#writer;
  }

  #openWriter(day: string): DayWriter | undefined {
    return this.#writer?.day === day && !this.#writer.isGone ? this.#writer : undefined;
  }
}
