import { readAttribution } from "../../../money/attribution.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { NameFilter } from "../name-filter.ts";
import { POSTGRES } from "../log-dialect.ts";
import { chunkOf, CHUNK_ROWS } from "../request-rows.ts";
import { underLock, type Partition } from "./log-partitions.ts";

/** An advisory lock, under which one process at a time writes the name filters. */
const NAMES_LOCK = 0x746f6c6e;
/** Chunks in one call. In the worst case, as after a move, a call is one second of work for another process. */
const CHUNKS_AT_ONCE = 16;
/** Rows read at once, which blocks the event loop for a few milliseconds. */
const ROWS_AT_ONCE = 1024;

/**
 * Writes the name filter of each chunk that has all of its rows. Writers do not write filters: several processes write to a chunk, and each
 * batch would write the whole filter. A search reads the chunks without a filter.
 */
export class PartitionNames {
  readonly #pool: PostgresPool;
  /** For each day, the chunk before which all chunks have filters. */
  #done = new Map<string, number>();

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Writes some of the missing filters, newest first. */
  async advance(days: readonly Partition[]): Promise<void> {
    const due = days.filter(({ day, lastRow }) => lastRow !== null && (this.#done.get(day) ?? 0) < chunkOf(lastRow));
    if (due.length === 0) return;
    const done = (await underLock(this.#pool, [NAMES_LOCK, 0], (connection) => writeFilters(connection, due))) ?? [];
    const listed = new Set(days.map(({ day }) => day));
    this.#done = new Map([...this.#done, ...done].filter(([day]) => listed.has(day)));
  }
}

/** Returns the days that now have all filters, each with the chunk before which all chunks have filters. */
async function writeFilters(connection: PostgresConnection, due: readonly Partition[]): Promise<[day: string, chunk: number][]> {
  const done: [day: string, chunk: number][] = [];
  let left = CHUNKS_AT_ONCE;
  for (const { day, lastRow } of due.toReversed()) {
    const chunks = await chunksWithout(connection, day, chunkOf(lastRow!), left);
    for (const chunk of chunks) await writeFilter(connection, day, chunk);
    left -= chunks.length;
    if (left === 0) break;
    done.push([day, chunkOf(lastRow!)]);
  }
  return done;
}

/** The chunks before `before` that have no filter, newest first. */
async function chunksWithout(connection: PostgresConnection, day: string, before: number, limit: number): Promise<number[]> {
  const { chunks, names } = POSTGRES.tablesOf(day);
  const found = await connection.query<{ chunk: number }>(
    `select chunk::float8 as chunk from ${chunks} as chunks where chunk < $1::bigint
      and not exists (select from ${names} as names where names.chunk = chunks.chunk) order by chunks.chunk desc limit $2`,
    [before, limit],
  );
  return found.map(({ chunk }) => chunk);
}

async function writeFilter(connection: PostgresConnection, day: string, chunk: number): Promise<void> {
  const { requests, names } = POSTGRES.tablesOf(day);
  const filter = new NameFilter();
  const first = chunk * CHUNK_ROWS;
  for (let row = first; row < first + CHUNK_ROWS; row += ROWS_AT_ONCE) {
    const sql = `select attribution from ${requests} where row >= $1::bigint and row < $2::bigint and attribution is not null`;
    for (const { attribution } of await connection.query<{ attribution: string }>(sql, [row, row + ROWS_AT_ONCE])) {
      filter.add(readAttribution(attribution)!);
    }
  }
  // If a name was erased meanwhile, the chunk already has a row.
  await connection.query(`insert into ${names} values ($1, $2) on conflict do nothing`, [chunk, filter.allBytes]);
}
