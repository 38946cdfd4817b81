import { GatewayError } from "../../../requests/gateway-error.ts";
import type { DayReader } from "./day-reader.ts";
import { isCorruption, hasForeignSchema, messageOf } from "./day-errors.ts";
import { addDays, dayOf, type LogFolder } from "./log-folder.ts";
import type { DayReaderPool } from "./day-reader-pool.ts";
import { TurnQueue } from "./turn-queue.ts";

/** The days as they are read, whatever becomes of their files meanwhile. */
export class LogDays {
  readonly #folder: LogFolder;
  readonly #open: DayReaderPool;
  readonly #quarantine: (day: string) => void;
  readonly #slices = new TurnQueue();

  /** `quarantine` takes a damaged day out of the way. */
  constructor(folder: LogFolder, open: DayReaderPool, quarantine: (day: string) => void) {
    this.#folder = folder;
    this.#open = open;
    this.#quarantine = quarantine;
  }

  /** All that there are, in order. */
  all(): string[] {
    try {
      return this.#folder.days();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Those that may have requests which ended between two moments. */
  between(fromMs: number | undefined, toMs: number | undefined): string[] {
    const first = fromMs === undefined ? "" : dayOf(fromMs);
    // Behind a clock that was put back, a request may stand with those of the next day.
    const last = toMs === undefined ? "~" : addDays(dayOf(toMs), 1);
    return this.all().filter((day) => day >= first && day <= last);
  }

  /** Reads in one day, within one turn. Undefined where that day is gone, or damaged. */
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

  /** Resolves when it is time to read on: requests are answered between. */
  nextTurn(): Promise<void> {
    return this.#slices.next();
  }
}

function unavailable(error: unknown): GatewayError {
  const detail = `the request log cannot be read: ${messageOf(error)}`;
  return new GatewayError("overloaded", "The request log cannot be read at the moment. Please try again in 1s.", {
    retryAfterSeconds: 1,
    detail,
  });
}
