import type { NumberedRequest, RankedRow, RankQuery } from "./day-reader.ts";
import { CHUNK_ROWS } from "./request-rows.ts";
import type { DayFilter } from "./mirrors/mirror-conditions.ts";
import {
  MAX_SORTED,
  type AmountOrder,
  type LogPosition,
  type RequestCount,
  type RequestFilter,
  type SortedRequest,
} from "./request-log-store.ts";

/** The maximum number of chunks for a count or a sort, which takes tenths of a second, in slices. */
export const MAX_SCANNED_CHUNKS = Math.ceil(MAX_SORTED / CHUNK_ROWS);

/** Reads chunks of requests from either database. */
export interface ChunkReader {
  /** The number of chunks that are read together. */
  readonly chunksAtOnce: number;
  /** The days that may have matching requests, newest first. */
  daysOf(filter: RequestFilter): Promise<readonly string[]>;
  /** The filter within a day. */
  filterOf(day: string, filter: RequestFilter): Promise<DayFilter>;
  /** The chunks of a day that may have matching requests, newest first. */
  chunksOf(day: string, filter: DayFilter): Promise<readonly number[]>;
  countIn(day: string, chunks: readonly number[], filter: DayFilter): Promise<number>;
  rankIn(day: string, chunks: readonly number[], filter: DayFilter, query: RankQuery): Promise<readonly RankedRow[]>;
  rowsOf(day: string, rows: readonly number[]): Promise<readonly NumberedRequest[]>;
}

interface DayChunks {
  readonly day: string;
  readonly filter: DayFilter;
  readonly chunks: readonly number[];
}

type RankedRequest = Pick<SortedRequest, "position" | "amount">;

/** Counts matching requests until the limit is reached. */
export async function countByScan(reader: ChunkReader, filter: RequestFilter): Promise<RequestCount> {
  let [count, left] = [0, MAX_SCANNED_CHUNKS];
  for (const day of await reader.daysOf(filter)) {
    const ofDay = await reader.filterOf(day, filter);
    const chunks = await reader.chunksOf(day, ofDay);
    for (const group of groupsOf(chunks.slice(0, left), reader.chunksAtOnce)) count += await reader.countIn(day, group, ofDay);
    left -= chunks.length;
    if (left < 0) return { count, isExact: false };
  }
  return { count, isExact: true };
}

/** The first requests in the order of an amount. Undefined if too many requests would have to be read. */
export async function sortByScan(
  reader: ChunkReader,
  filter: RequestFilter,
  order: AmountOrder,
  after: RankedRequest | undefined,
  limit: number,
): Promise<readonly SortedRequest[] | undefined> {
  const days = await scannedDays(reader, filter);
  if (!days) return undefined;
  let best: RankedRequest[] = [];
  for (const { day, filter: ofDay, chunks } of days) {
    for (const group of groupsOf(chunks, reader.chunksAtOnce)) {
      const worst = best.length < limit ? undefined : best.at(-1)!.amount;
      const rows = await reader.rankIn(day, group, ofDay, { order, limit, between: conditionsOf(order, day, after, worst) });
      if (rows.length === 0) continue;
      const found = rows.map(({ row, amount }) => ({ position: { day, row }, amount }));
      // Stable: among equal requests, those found earlier, which are newer, come first.
      best = [...best, ...found].toSorted((one, other) => compare(order, one, other)).slice(0, limit);
    }
  }
  return withRequests(reader, best);
}

/** The chunks to read, newest first. Undefined if there are more than the limit. */
async function scannedDays(reader: ChunkReader, filter: RequestFilter): Promise<readonly DayChunks[] | undefined> {
  const days: DayChunks[] = [];
  let left = MAX_SCANNED_CHUNKS;
  for (const day of await reader.daysOf(filter)) {
    const ofDay = await reader.filterOf(day, filter);
    const chunks = await reader.chunksOf(day, ofDay);
    left -= chunks.length;
    if (left < 0) return undefined;
    days.push({ day, filter: ofDay, chunks });
  }
  return days;
}

/** Conditions for requests after `after`, and before the last of the requests found so far, all of which are newer. */
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

/** Adds the requests to the ranked rows. A day may be dropped meanwhile: its requests are omitted. */
async function withRequests(reader: ChunkReader, ranked: readonly RankedRequest[]): Promise<readonly SortedRequest[]> {
  const requests = new Map<string, NumberedRequest["request"]>();
  for (const [day, ofDay] of Map.groupBy(ranked, ({ position }) => position.day)) {
    const rows = ofDay.map(({ position }) => position.row);
    for (const { row, request } of await reader.rowsOf(day, rows)) requests.set(nameOf({ day, row }), request);
  }
  return ranked.flatMap(({ position, amount }) => {
    const request = requests.get(nameOf(position));
    return request ? [{ position, amount, request }] : [];
  });
}

function nameOf({ day, row }: LogPosition): string {
  return `${day} ${row}`;
}

function* groupsOf(chunks: readonly number[], size: number): Generator<readonly number[], void> {
  for (let at = 0; at < chunks.length; at += size) yield chunks.slice(at, at + size);
}
