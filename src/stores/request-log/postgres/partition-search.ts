import type { LoggedBodies, LoggedRequest } from "../../../requests/logged-request.ts";
import type { MirrorResult } from "../../../requests/mirror-result.ts";
import type { DayFilter } from "../mirrors/mirror-conditions.ts";
import { mirrorDays, resultsElsewhere } from "../mirrors/mirror-days.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { ChunkReader } from "../chunk-scan.ts";
import type { Direction, NumberedRequest, RankedRow, RankQuery } from "../day-reader.ts";
import { unavailable } from "../sqlite/log-days.ts";
import { addDays, dayOf } from "../sqlite/log-folder.ts";
import { timeInUuid } from "../request-rows.ts";
import type { ErasedRequest, LogPosition, PositionedRequest, RequestFilter } from "../request-log-store.ts";
import { isMissingTable, type LogPartitions, type Partition } from "./log-partitions.ts";
import { PartitionReader } from "./partition-reader.ts";

/** The maximum number of chunks read at once. The number starts low, because most callers read only one page. */
const MAX_CHUNKS_AT_ONCE = 32;

/** Searches requests in all days. Throws `overloaded` if the database cannot be read. */
export class PartitionSearch implements ChunkReader {
  readonly chunksAtOnce = MAX_CHUNKS_AT_ONCE;
  readonly #pool: PostgresPool;
  readonly #partitions: LogPartitions;
  readonly #lastDay: () => string | undefined;

  /**
   * `lastDay` returns the last day on which a request can have ended, if it is known: requests of later days were written by a process with
   * a wrong clock.
   */
  constructor(pool: PostgresPool, partitions: LogPartitions, lastDay: () => string | undefined) {
    this.#pool = pool;
    this.#partitions = partitions;
    this.#lastDay = lastDay;
  }

  async list(
    filter: RequestFilter,
    from: LogPosition | undefined,
    direction: Direction,
    limit: number,
  ): Promise<readonly PositionedRequest[]> {
    const found: PositionedRequest[] = [];
    for (const day of await this.#daysFor(filter, from, direction)) {
      const afterRow = from?.day === day ? from.row : undefined;
      const ofDay = await this.filterOf(day, filter);
      const chunks = (await this.read(day, (reader) => reader.chunks(ofDay, afterRow, direction))) ?? [];
      for (let at = 0, size = 1; at < chunks.length; at += size, size = Math.min(size * 2, MAX_CHUNKS_AT_ONCE)) {
        if (found.length >= limit) return found;
        const group = chunks.slice(at, at + size);
        const rows = await this.read(day, (reader) => reader.read(group, ofDay, afterRow, direction, limit - found.length));
        for (const { row, request } of rows ?? []) found.push({ position: { day, row }, request });
      }
    }
    return found;
  }

  daysOf(filter: RequestFilter): Promise<string[]> {
    return this.#daysFor(filter, undefined, "older");
  }

  async filterOf(day: string, filter: RequestFilter): Promise<DayFilter> {
    const { mirror } = filter;
    if (!mirror) return filter;
    const all = (await this.days()).map((partition) => partition.day);
    const found = await Promise.all(
      resultsElsewhere(day, all).map((span) => this.read(span.day, (reader) => reader.mirroredIn(span, mirror))),
    );
    return { ...filter, mirroredElsewhere: found.flatMap((uuids) => uuids ?? []) };
  }

  async chunksOf(day: string, filter: DayFilter): Promise<readonly number[]> {
    return (await this.read(day, (reader) => reader.chunks(filter, undefined, "older"))) ?? [];
  }

  async countIn(day: string, chunks: readonly number[], filter: DayFilter): Promise<number> {
    return (await this.read(day, (reader) => reader.count(chunks, filter))) ?? 0;
  }

  async rankIn(day: string, chunks: readonly number[], filter: DayFilter, query: RankQuery): Promise<readonly RankedRow[]> {
    return (await this.read(day, (reader) => reader.rank(chunks, filter, query))) ?? [];
  }

  async rowsOf(day: string, rows: readonly number[]): Promise<readonly NumberedRequest[]> {
    return (await this.read(day, (reader) => reader.rows(rows))) ?? [];
  }

  find(uuid: string): Promise<LoggedRequest | undefined> {
    return this.#firstSince(uuid, (reader) => reader.find(uuid));
  }

  async hasBodies(uuid: string): Promise<boolean> {
    return (await this.#firstSince(uuid, (reader) => reader.hasBodies(uuid))) ?? false;
  }

  bodies(uuid: string): Promise<LoggedBodies | undefined> {
    return this.#firstSince(uuid, (reader) => reader.bodies(uuid));
  }

  async mirrors(uuids: readonly string[]): Promise<readonly MirrorResult[]> {
    const all = (await this.days()).map(({ day }) => day);
    const found = await Promise.all(mirrorDays(uuids, all).map((day) => this.read(day, (reader) => reader.mirrors(uuids))));
    return found.flatMap((results) => results ?? []);
  }

  async mirrorsOf(model: string, fromMs: number, limit: number): Promise<readonly MirrorResult[]> {
    const found: MirrorResult[] = [];
    for (const day of (await this.between(fromMs, undefined)).toReversed()) {
      if (found.length >= limit) break;
      found.push(...((await this.read(day, (reader) => reader.mirrorsOf(model, limit - found.length))) ?? []));
    }
    return found;
  }

  async erase(day: string, erased: readonly ErasedRequest[]): Promise<void> {
    await this.read(day, (reader) => reader.erase(erased));
  }

  /** The days with tables, in order. */
  async days(): Promise<readonly Partition[]> {
    try {
      const lastDay = this.#lastDay() ?? "~";
      return (await this.#partitions.all()).filter(({ day }) => day <= lastDay);
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** The days that may have requests that ended between two moments. */
  async between(fromMs: number | undefined, toMs: number | undefined): Promise<string[]> {
    const first = fromMs === undefined ? "" : dayOf(fromMs);
    // A request of a process whose clock is behind may be in the tables of the next day.
    const last = toMs === undefined ? "~" : addDays(dayOf(toMs), 1);
    return (await this.days()).flatMap(({ day }) => (day >= first && day <= last ? [day] : []));
  }

  /** Reads from one day. Undefined if the day was dropped meanwhile. */
  async read<T>(day: string, read: (reader: PartitionReader) => Promise<T>): Promise<T | undefined> {
    try {
      return await read(new PartitionReader(this.#pool, day));
    } catch (error) {
      if (isMissingTable(error)) return undefined;
      throw unavailable(error);
    }
  }

  /** The first match in the days from the start of a request on, with one day of slack for a wall clock that was wrong. */
  async #firstSince<T>(uuid: string, read: (reader: PartitionReader) => Promise<T>): Promise<T | undefined> {
    const first = addDays(dayOf(timeInUuid(uuid)), -1);
    for (const { day } of await this.days()) {
      const found = day >= first ? await this.read(day, read) : undefined;
      if (found) return found;
    }
    return undefined;
  }

  async #daysFor({ fromMs, toMs }: RequestFilter, from: LogPosition | undefined, direction: Direction): Promise<string[]> {
    const days = await this.between(fromMs, toMs);
    if (direction === "newer") return days.filter((day) => from === undefined || day >= from.day);
    return days.filter((day) => from === undefined || day <= from.day).toReversed();
  }
}
