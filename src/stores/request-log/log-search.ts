import type { LoggedBodies, LoggedRequest } from "../../requests/logged-request.ts";
import type { MirrorResult } from "../../requests/mirror-result.ts";
import { DayReader, type Direction, type RankQuery } from "./day-reader.ts";
import type { DayFilter } from "./filter-conditions.ts";
import type { LogDatabase } from "./log-database.ts";
import { addDays, dayOf, daysBetween } from "./log-day.ts";
import { mirrorDays, resultsElsewhere } from "./mirrors/mirror-days.ts";
import {
  MAX_SORTED,
  type AmountOrder,
  type LogPosition,
  type PositionedRequest,
  type RequestCount,
  type RequestFilter,
  type SortedRequest,
} from "./request-log-store.ts";
import { CHUNK_ROWS, timeInUuid } from "./request-rows.ts";

/** The maximum number of chunks for a count or a sort, which takes tenths of a second, in slices. */
export const MAX_SCANNED_CHUNKS = Math.ceil(MAX_SORTED / CHUNK_ROWS);

interface DayChunks {
  readonly day: string;
  readonly filter: DayFilter;
  readonly chunks: readonly number[];
}

type RankedRequest = Pick<SortedRequest, "position" | "amount">;

/** Searches the requests of all days. Throws `overloaded` if the log cannot be read. */
export class LogSearch {
  readonly #database: LogDatabase;

  constructor(database: LogDatabase) {
    this.#database = database;
  }

  async list(
    filter: RequestFilter,
    from: LogPosition | undefined,
    direction: Direction,
    limit: number,
  ): Promise<readonly PositionedRequest[]> {
    const found: PositionedRequest[] = [];
    for (const day of await this.#daysFor(filter, from, direction)) {
      const reader = this.#reader(day);
      const afterRow = from?.day === day ? from.row : undefined;
      const ofDay = await this.#filterOf(day, filter);
      const chunks = await reader.chunks(ofDay, afterRow, direction);
      const read = reader.reads(ofDay, afterRow, direction, limit);
      // Starts with few chunks, because most callers read only one page.
      for (const group of this.#groupsOf(chunks, 1)) {
        if (found.length >= limit) return found.slice(0, limit);
        for (const { row, request } of await read(group)) found.push({ position: { day, row }, request });
      }
    }
    return found.slice(0, limit);
  }

  /** Counts matching requests until the limit is reached. */
  async count(filter: RequestFilter): Promise<RequestCount> {
    let count = 0;
    for await (const { day, filter: ofDay, chunks, isBeyond } of this.#scan(filter)) {
      const countIn = this.#reader(day).counts(ofDay);
      for (const group of this.#groupsOf(chunks)) count += await countIn(group);
      if (isBeyond) return { count, isExact: false };
    }
    return { count, isExact: true };
  }

  /** The first requests in the order of an amount. Undefined if too many requests would have to be read. */
  async sort(
    filter: RequestFilter,
    order: AmountOrder,
    after: RankedRequest | undefined,
    limit: number,
  ): Promise<readonly SortedRequest[] | undefined> {
    const days: DayChunks[] = [];
    for await (const day of this.#scan(filter)) {
      if (day.isBeyond) return undefined;
      days.push(day);
    }
    let best: RankedRequest[] = [];
    for (const { day, filter: ofDay, chunks } of days) {
      for (const group of this.#groupsOf(chunks)) {
        const worst = best.length < limit ? undefined : best.at(-1)!.amount;
        const between = conditionsOf(order, day, after, worst);
        const rows = await this.#reader(day).rank(group, ofDay, { order, limit, between });
        if (rows.length === 0) continue;
        const found = rows.map(({ row, amount }) => ({ position: { day, row }, amount }));
        // Stable: among equal requests, those found earlier, which are newer, come first.
        best = [...best, ...found].toSorted((one, other) => compare(order, one, other)).slice(0, limit);
      }
    }
    return this.#withRequests(best);
  }

  find(uuid: string): Promise<LoggedRequest | undefined> {
    return this.#firstSince(uuid, async (reader) => {
      const find = reader.finds(uuid);
      for (const group of this.#groupsOf(await reader.chunksWith(uuid))) {
        const request = await find(group);
        if (request) return request;
      }
      return undefined;
    });
  }

  async hasBodies(uuid: string): Promise<boolean> {
    return (await this.#firstSince(uuid, (reader) => reader.hasBodies(uuid))) ?? false;
  }

  bodies(uuid: string): Promise<LoggedBodies | undefined> {
    return this.#firstSince(uuid, (reader) => reader.bodies(uuid));
  }

  async mirrors(uuids: readonly string[]): Promise<readonly MirrorResult[]> {
    const days = mirrorDays(uuids, await this.#database.days());
    return (await Promise.all(days.map((day) => this.#reader(day).mirrors(uuids)))).flat();
  }

  /** The newest results of a model's mirrors, in the days from a moment on. */
  async mirrorsOf(model: string, fromMs: number, limit: number): Promise<readonly MirrorResult[]> {
    const found: MirrorResult[] = [];
    for (const day of daysBetween(await this.#database.days(), fromMs, undefined).toReversed()) {
      if (found.length >= limit) break;
      found.push(...(await this.#reader(day).mirrorsOf(model, limit - found.length)));
    }
    return found;
  }

  #reader(day: string): DayReader {
    return new DayReader(this.#database, day);
  }

  /** The days that may have matching requests, in reading order. */
  async #daysFor({ fromMs, toMs }: RequestFilter, from: LogPosition | undefined, direction: Direction): Promise<string[]> {
    const days = daysBetween(await this.#database.days(), fromMs, toMs);
    if (direction === "newer") return days.filter((day) => from === undefined || day >= from.day);
    return days.filter((day) => from === undefined || day <= from.day).toReversed();
  }

  async #filterOf(day: string, filter: RequestFilter): Promise<DayFilter> {
    const { mirror } = filter;
    if (!mirror) return filter;
    const spans = resultsElsewhere(day, await this.#database.days());
    const uuids = await Promise.all(spans.map((span) => this.#reader(span.day).mirroredIn(span, mirror)));
    return { ...filter, mirroredElsewhere: uuids.flat() };
  }

  /** The chunks to read, newest first, up to the limit. `isBeyond` if there are more. */
  async *#scan(filter: RequestFilter): AsyncGenerator<DayChunks & { readonly isBeyond: boolean }, void> {
    let left = MAX_SCANNED_CHUNKS;
    for (const day of await this.#daysFor(filter, undefined, "older")) {
      const ofDay = await this.#filterOf(day, filter);
      const chunks = await this.#reader(day).chunks(ofDay, undefined, "older");
      yield { day, filter: ofDay, chunks: chunks.slice(0, left), isBeyond: chunks.length > left };
      left -= chunks.length;
    }
  }

  /** Groups of chunks that are read together, each twice as large as the previous one until they have the largest size. */
  *#groupsOf(chunks: readonly number[], first = Infinity): Generator<readonly number[], void> {
    const { chunksAtOnce } = this.#database;
    let size = Math.min(first, chunksAtOnce);
    for (let at = 0; at < chunks.length; at += size, size = Math.min(size * 2, chunksAtOnce)) yield chunks.slice(at, at + size);
  }

  /** The first match in the days from the start of a request on, with one day of slack for a wall clock that was wrong. */
  async #firstSince<T>(uuid: string, read: (reader: DayReader) => Promise<T>): Promise<T | undefined> {
    const first = addDays(dayOf(timeInUuid(uuid)), -1);
    for (const day of await this.#database.days()) {
      const found = day >= first ? await read(this.#reader(day)) : undefined;
      if (found) return found;
    }
    return undefined;
  }

  /** Adds the requests to the ranked rows. A day may be dropped meanwhile: its requests are omitted. */
  async #withRequests(ranked: readonly RankedRequest[]): Promise<readonly SortedRequest[]> {
    const requests = new Map<string, LoggedRequest>();
    for (const [day, ofDay] of Map.groupBy(ranked, ({ position }) => position.day)) {
      const rows = ofDay.map(({ position }) => position.row);
      for (const { row, request } of await this.#reader(day).rows(rows)) requests.set(nameOf({ day, row }), request);
    }
    return ranked.flatMap(({ position, amount }) => {
      const request = requests.get(nameOf(position));
      return request ? [{ position, amount, request }] : [];
    });
  }
}

/** Conditions for requests after `after`, and before the last of the requests found so far. The found requests are all newer. */
function conditionsOf(order: AmountOrder, day: string, after: RankedRequest | undefined, worst: number | undefined): RankQuery["between"] {
  const [before, past] = order.direction === "highest" ? [">", "<"] : ["<", ">"];
  return (amount, bind) => [
    ...(worst === undefined ? [] : [`${amount} ${before} ${bind(worst)}`]),
    ...(after === undefined ? [] : [afterCondition(amount, past, day, after, bind)]),
  ];
}

function afterCondition(amount: string, past: string, day: string, after: RankedRequest, bind: (value: number) => string): string {
  const { position } = after;
  if (day > position.day) return `${amount} ${past} ${bind(after.amount)}`;
  if (day < position.day) return `${amount} ${past}= ${bind(after.amount)}`;
  return `(${amount} ${past} ${bind(after.amount)} or (${amount} = ${bind(after.amount)} and row < ${bind(position.row)}))`;
}

function compare({ direction }: AmountOrder, one: RankedRequest, other: RankedRequest): number {
  return direction === "highest" ? other.amount - one.amount : one.amount - other.amount;
}

function nameOf({ day, row }: LogPosition): string {
  return `${day} ${row}`;
}
