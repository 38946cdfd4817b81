import { GatewayError } from "../../vocabulary/gateway-error.ts";
import type { LoggedBodies, LoggedRequest } from "../../vocabulary/logged-request.ts";
import type { DayReader, Direction } from "./day-reader.ts";
import { isDamage, isForeign, wordsOf } from "./day-trouble.ts";
import { addDays, dayOf, type LogFolder } from "./log-folder.ts";
import type { OpenDays } from "./open-days.ts";
import type { LogPlace, PlacedRequest, RequestFilter } from "./request-log-store.ts";
import { timeInUuid } from "./request-table.ts";
import { Slices } from "./slices.ts";

/** Finds requests in the files of all days. */
export class LogSearch {
  readonly #folder: LogFolder;
  readonly #days: OpenDays;
  readonly #setAside: (day: string) => void;
  readonly #slices = new Slices();

  /** `setAside` takes a damaged day out of the way. */
  constructor(folder: LogFolder, days: OpenDays, setAside: (day: string) => void) {
    this.#folder = folder;
    this.#days = days;
    this.#setAside = setAside;
  }

  async list(filter: RequestFilter, from: LogPlace | undefined, direction: Direction, limit: number): Promise<readonly PlacedRequest[]> {
    const found: PlacedRequest[] = [];
    for (const day of this.#daysFor(filter, from, direction)) {
      const afterRow = from?.day === day ? from.row : undefined;
      await this.#slices.next();
      const chunks = this.#read(day, (reader) => reader.chunks(filter, afterRow, direction)) ?? [];
      for (const chunk of chunks) {
        if (found.length >= limit) return found;
        const read = this.#read(day, (reader) => reader.read(chunk, filter, afterRow, direction, limit - found.length));
        for (const { row, request } of read ?? []) found.push({ place: { day, row }, request });
        await this.#slices.next();
      }
    }
    return found;
  }

  async find(uuid: string): Promise<LoggedRequest | undefined> {
    for (const day of this.#daysSince(uuid)) {
      for (const chunk of this.#read(day, (reader) => reader.chunksWith(uuid)) ?? []) {
        const request = this.#read(day, (reader) => reader.find(chunk, uuid));
        if (request) return request;
        await this.#slices.next();
      }
    }
    return undefined;
  }

  async hasBodies(uuid: string): Promise<boolean> {
    return (await this.#firstSince(uuid, (reader) => reader.hasBodies(uuid))) ?? false;
  }

  bodies(uuid: string): Promise<LoggedBodies | undefined> {
    return this.#firstSince(uuid, (reader) => reader.bodies(uuid));
  }

  /** What is found first in the days that a request can be in. */
  async #firstSince<T>(uuid: string, read: (reader: DayReader) => T): Promise<T | undefined> {
    for (const day of this.#daysSince(uuid)) {
      const found = this.#read(day, read);
      if (found) return found;
      await this.#slices.next();
    }
    return undefined;
  }

  #daysFor({ fromMs, toMs }: RequestFilter, from: LogPlace | undefined, direction: Direction): string[] {
    const first = fromMs === undefined ? "" : dayOf(fromMs);
    // Behind a clock that was put back, a request may stand with those of the next day.
    const last = toMs === undefined ? "~" : addDays(dayOf(toMs), 1);
    const days = this.#allDays().filter((day) => day >= first && day <= last);
    if (direction === "newer") return days.filter((day) => from === undefined || day >= from.day);
    return days.filter((day) => from === undefined || day <= from.day).toReversed();
  }

  /** A request ends after it began, as far as the clock was right. */
  #daysSince(uuid: string): string[] {
    const first = addDays(dayOf(timeInUuid(uuid)), -1);
    return this.#allDays().filter((day) => day >= first);
  }

  #allDays(): string[] {
    try {
      return this.#folder.days();
    } catch (error) {
      throw unavailable(error);
    }
  }

  #read<T>(day: string, read: (reader: DayReader) => T): T | undefined {
    try {
      const reader = this.#days.reader(day);
      return reader && read(reader);
    } catch (error) {
      this.#days.close(day);
      if (isForeign(error)) return undefined;
      if (!isDamage(error)) throw unavailable(error);
      this.#setAside(day);
      return undefined;
    }
  }
}

function unavailable(error: unknown): GatewayError {
  const detail = `the request log cannot be read: ${wordsOf(error)}`;
  return new GatewayError("overloaded", "The request log cannot be read at the moment. Please try again in 1s.", {
    retryAfterSeconds: 1,
    detail,
  });
}
