import type { LoggedBodies, LoggedRequest } from "../../requests/logged-request.ts";
import type { MirrorResult } from "../../requests/mirror-result.ts";
import type { DayFilter } from "./mirrors/mirror-conditions.ts";
import { mirrorDays, resultsElsewhere } from "./mirrors/mirror-days.ts";
import type { ChunkReader } from "./chunk-scan.ts";
import type { DayReader, Direction, NumberedRequest, RankedRow, RankQuery } from "./day-reader.ts";
import type { LogDays } from "./sqlite/log-days.ts";
import { addDays, dayOf } from "./sqlite/log-folder.ts";
import type { ErasedRequest, LogPosition, PositionedRequest, RequestFilter } from "./request-log-store.ts";
import { timeInUuid } from "./request-rows.ts";

/** Searches requests in all day files. */
export class LogSearch implements ChunkReader {
  readonly chunksAtOnce = 1;
  readonly #days: LogDays;

  constructor(days: LogDays) {
    this.#days = days;
  }

  async list(
    filter: RequestFilter,
    from: LogPosition | undefined,
    direction: Direction,
    limit: number,
  ): Promise<readonly PositionedRequest[]> {
    const found: PositionedRequest[] = [];
    for (const day of this.#daysFor(filter, from, direction)) {
      const afterRow = from?.day === day ? from.row : undefined;
      const ofDay = await this.filterOf(day, filter);
      await this.#days.nextTurn();
      const chunks = this.#days.read(day, (reader) => reader.chunks(ofDay, afterRow, direction)) ?? [];
      for (const chunk of chunks) {
        if (found.length >= limit) return found;
        const read = this.#days.read(day, (reader) => reader.read(chunk, ofDay, afterRow, direction, limit - found.length));
        for (const { row, request } of read ?? []) found.push({ position: { day, row }, request });
        await this.#days.nextTurn();
      }
    }
    return found;
  }

  async daysOf(filter: RequestFilter): Promise<string[]> {
    return this.#daysFor(filter, undefined, "older");
  }

  async filterOf(day: string, filter: RequestFilter): Promise<DayFilter> {
    const { mirror } = filter;
    if (!mirror) return filter;
    const mirroredElsewhere: string[] = [];
    for (const span of resultsElsewhere(day, this.#days.all())) {
      mirroredElsewhere.push(...(await this.#inTurn(span.day, (reader) => reader.mirroredIn(span, mirror), [])));
    }
    return { ...filter, mirroredElsewhere };
  }

  chunksOf(day: string, filter: DayFilter): Promise<readonly number[]> {
    return this.#inTurn(day, (reader) => reader.chunks(filter, undefined, "older"), []);
  }

  countIn(day: string, [chunk]: readonly number[], filter: DayFilter): Promise<number> {
    return this.#inTurn(day, (reader) => reader.count(chunk!, filter), 0);
  }

  rankIn(day: string, [chunk]: readonly number[], filter: DayFilter, query: RankQuery): Promise<readonly RankedRow[]> {
    return this.#inTurn(day, (reader) => reader.rank(chunk!, filter, query), []);
  }

  rowsOf(day: string, rows: readonly number[]): Promise<readonly NumberedRequest[]> {
    return this.#inTurn(day, (reader) => reader.rows(rows), []);
  }

  async find(uuid: string): Promise<LoggedRequest | undefined> {
    for (const day of this.#daysSince(uuid)) {
      for (const chunk of this.#days.read(day, (reader) => reader.chunksWith(uuid)) ?? []) {
        const request = this.#days.read(day, (reader) => reader.find(chunk, uuid));
        if (request) return request;
        await this.#days.nextTurn();
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

  async mirrors(uuids: readonly string[]): Promise<readonly MirrorResult[]> {
    const found: MirrorResult[] = [];
    for (const day of mirrorDays(uuids, this.#days.all())) found.push(...(await this.#inTurn(day, (reader) => reader.mirrors(uuids), [])));
    return found;
  }

  async mirrorsOf(model: string, fromMs: number, limit: number): Promise<readonly MirrorResult[]> {
    const found: MirrorResult[] = [];
    for (const day of this.#days.between(fromMs, undefined).toReversed()) {
      if (found.length >= limit) break;
      found.push(...(await this.#inTurn(day, (reader) => reader.mirrorsOf(model, limit - found.length), [])));
    }
    return found;
  }

  async erase(day: string, erased: readonly ErasedRequest[]): Promise<void> {
    await this.#days.nextTurn();
    this.#days.read(day, (reader) => reader.erase(erased));
  }

  async #inTurn<T>(day: string, read: (reader: DayReader) => T, none: T): Promise<T> {
    await this.#days.nextTurn();
    return this.#days.read(day, read) ?? none;
  }

  /** The first match in the days that may contain a request. */
  async #firstSince<T>(uuid: string, read: (reader: DayReader) => T): Promise<T | undefined> {
    for (const day of this.#daysSince(uuid)) {
      const found = this.#days.read(day, read);
      if (found) return found;
      await this.#days.nextTurn();
    }
    return undefined;
  }

  #daysFor({ fromMs, toMs }: RequestFilter, from: LogPosition | undefined, direction: Direction): string[] {
    const days = this.#days.between(fromMs, toMs);
    if (direction === "newer") return days.filter((day) => from === undefined || day >= from.day);
    return days.filter((day) => from === undefined || day <= from.day).toReversed();
  }

  /** The days from the start of a request on, with one day of slack for a wall clock that was wrong. */
  #daysSince(uuid: string): string[] {
    const first = addDays(dayOf(timeInUuid(uuid)), -1);
    return this.#days.all().filter((day) => day >= first);
  }
}
