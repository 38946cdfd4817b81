import { ApiError } from "../../../requests/api-error.ts";
import type { DayReader } from "../day-reader.ts";
import { isCorruption, hasForeignSchema, messageOf } from "./day-errors.ts";
import { addDays, dayOf, type LogFolder } from "./log-folder.ts";
import type { DayReaderPool } from "./day-files.ts";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Reads day files, which may be removed, replaced or damaged meanwhile. */
export class LogDays {
  readonly #folder: LogFolder;
  readonly #open: DayReaderPool;
  readonly #quarantine: (day: string) => void;
  readonly #turns = new TurnQueue();

  /** `quarantine` renames a damaged day file. */
  constructor(folder: LogFolder, open: DayReaderPool, quarantine: (day: string) => void) {
    this.#folder = folder;
    this.#open = open;
    this.#quarantine = quarantine;
  }

  /** All days with a file, in order. */
  all(): string[] {
    try {
      return this.#folder.days();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** The days that may have requests that ended between two moments. */
  between(fromMs: number | undefined, toMs: number | undefined): string[] {
    const first = fromMs === undefined ? "" : dayOf(fromMs);
    // If the wall clock was set back, a request may be in the file of the next day.
    const last = toMs === undefined ? "~" : addDays(dayOf(toMs), 1);
    return this.all().filter((day) => day >= first && day <= last);
  }

  /**
   * Reads from one day, in one turn of the event loop. Undefined if the file is missing or damaged. Throws `overloaded` if it cannot be
   * read.
   */
  read<T>(day: string, read: (reader: DayReader) => T): T | undefined {
    try {
      const reader = this.#open.reader(day);
      return reader && read(reader);
    } catch (error) {
      this.#open.close(day);
      if (hasForeignSchema(error)) return undefined;
      if (!isCorruption(error)) throw unavailable(error);
      this.#quarantine(day);
      return undefined;
    }
  }

  /** Resolves in a later turn of the event loop, when it is this reader's turn. Requests are served in between. */
  nextTurn(): Promise<void> {
    return this.#turns.next();
  }
}

/** The error of a read that failed. */
export function unavailable(error: unknown): ApiError {
  const detail = `the request log cannot be read: ${messageOf(error)}`;
  return new ApiError("overloaded", "The request log cannot be read at the moment. Please try again in 1s.", {
    retryAfterSeconds: 1,
    detail,
  });
}

/** Lets long reads take turns: all of them together read one slice in each turn of the event loop, and then requests are served. */
class TurnQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}
