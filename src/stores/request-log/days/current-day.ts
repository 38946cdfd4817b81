import { isCorruption, hasForeignSchema, messageOf } from "./day-errors.ts";
import { DayWriter } from "./day-writer.ts";
import type { Retention } from "../retention.ts";
import { dayOf, type LogFolder } from "./log-folder.ts";
import type { PendingSums } from "../statistics/pending-sums.ts";

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A clock that is put back by less than this does not take the log back to the day before. */
const CLOCK_SLACK_MS = 60 * 60 * 1000;

export interface CurrentDayOptions {
  readonly folder: LogFolder;
  readonly room: Retention;
  /** Hears when nothing can be written, and, with undefined, when it can be again. */
  readonly report: (failure: string | undefined) => void;
  /** A file that is damaged, or of a day that has not come, has been given this name. */
  readonly reportDamaged: (path: string) => void;
  /** A day's file is no longer what it was. */
  readonly forget: (day: string) => void;
}

/**
 * The file that is written to, and what becomes of it: the folder may be gone, the disk full, the file locked, damaged or removed. Each
 * attempt starts from what is there at that moment, and after one that failed the next waits a little longer.
 */
export class CurrentDay {
  readonly #options: CurrentDayOptions;
  #writer: DayWriter | undefined;
  /** The newest day that there is a file of, once it is known. */
  #lastDay: string | undefined;
  #failure: string | undefined;
  #retryMs = 0;
  #retryAt = 0;
  /** The day of a file that was damaged, until one that is not has taken its place. */
  #damagedDay: string | undefined;

  constructor(options: CurrentDayOptions) {
    this.#options = options;
  }

  /** Why nothing can be written at the moment, if that is so. */
  get failure(): string | undefined {
    return this.#failure;
  }

  get isRetryDue(): boolean {
    return performance.now() >= this.#retryAt;
  }

  /** From when to when a request must have ended to stand in the same file as one that ended then. */
  spanAround(endedAtMs: number): { startMs: number; endMs: number } {
    const startMs = Date.parse(this.#dayFor(endedAtMs));
    return { startMs, endMs: startMs + DAY_MS };
  }

  /** Writes to the file of the day that a moment is in. Whether that has worked: if not, some of it may be there all the same. */
  write(atMs: number, write: (writer: DayWriter) => void): boolean {
    const day = this.#dayFor(atMs);
    try {
      write(this.#writerFor(day));
    } catch (error) {
      this.#closeWriter();
      // One that is damaged as soon as it is made is no file's fault.
      if (day === this.#damagedDay || !(isCorruption(error) || hasForeignSchema(error))) return this.#fail(error);
      this.#damagedDay = day;
      return this.#try(() => this.quarantine(day)) && this.write(atMs, write);
    }
    this.#damagedDay = undefined;
    return this.#succeed();
  }

  /** Drops what is too old or too much. Whether that has worked. */
  enforceRetention(): boolean {
    return this.#try(() => {
      this.#options.room.keep();
      this.#quarantineFutureDays();
    });
  }

  /** There was nothing to be written, or nothing that may be: all that can be said is said. */
  rest(): void {
    this.#succeed();
  }

  /** Takes a file out of the way. */
  quarantine(day: string): void {
    const { folder, forget, reportDamaged } = this.#options;
    this.#closeWriter();
    forget(day);
    reportDamaged(folder.quarantine(day));
  }

  /** The sums of what is in a day's file and in no sum there; undefined where that is not known. */
  pendingSums(day: string): PendingSums | undefined {
    return this.#openWriter(day)?.pendingSums;
  }

  /** Adds up some of what is in a day's file and in no sum there. The file must be there. */
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

  /** What was written while the clock was far ahead would stand before all that comes until then, as the newest. */
  #quarantineFutureDays(): void {
    const lastDay = this.#options.room.lastDay();
    this.#lastDay ??= this.#newestDay();
    if (lastDay === undefined) return;
    while (this.#lastDay > lastDay) {
      this.quarantine(this.#lastDay);
      this.#lastDay = this.#newestDay();
    }
  }

  #dayFor(ms: number): string {
    this.#lastDay ??= this.#newestDay();
    const day = dayOf(ms);
    return day < this.#lastDay && dayOf(ms + CLOCK_SLACK_MS) === this.#lastDay ? this.#lastDay : day;
  }

  /** Of those that an earlier run has left. */
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
    this.#tell(messageOf(error));
    return false;
  }

  #succeed(): true {
    this.#retryMs = 0;
    this.#tell(this.#options.room.complaint);
    return true;
  }

  #tell(failure: string | undefined): void {
    const isNews = (failure === undefined) !== (this.#failure === undefined);
    this.#failure = failure;
    if (isNews) this.#options.report(failure);
  }
}
