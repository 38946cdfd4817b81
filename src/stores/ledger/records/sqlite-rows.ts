import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile, SQLQueryBindings } from "bun:sqlite";
import type { IdRange, LedgerRows } from "./ledger-rows.ts";

/** The maximum difference between the order of entries and the order of their times, which arises when the wall clock is adjusted. */
const CLOCK_SLACK_MS = 60 * 60 * 1000;

/** The tables of the ledger in SQLite. */
export class SqliteRows implements LedgerRows {
  /** Blocks the event loop for one or two milliseconds. */
  readonly sliceSize = 1000;
  readonly inIdOrder = "not indexed";
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async all<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const query = this.#file.query<Row, SQLQueryBindings[]>(sql.replaceAll("$", "?"));
    return query.all(...(parameters as SQLQueryBindings[]));
  }

  async idRanges(fromMs: number, toMs: number): Promise<IdRange[]> {
    return [{ firstId: firstIdFrom(this.#file, fromMs), lastId: firstIdAt(this.#file, toMs + CLOCK_SLACK_MS) - 1 }];
  }

  async lastId(): Promise<number> {
    return readLastId(this.#file);
  }

  async oldestOpenId(): Promise<number> {
    return this.#file.query<{ oldest_open_id: number }, []>("select oldest_open_id from tallied").get()?.oldest_open_id ?? 1;
  }

  async yieldAfterSlice(): Promise<void> {
    await nextTurn();
  }

  idList(parameter: string): string {
    return `json_each(${parameter})`;
  }

  jsonText(column: string, field: string): string {
    return `${column} ->> '${field}'`;
  }
}

/** A lower bound of the ids from a moment on: all earlier entries are older. */
export function firstIdFrom(file: SqliteFile, ms: number): number {
  return firstIdAt(file, ms - CLOCK_SLACK_MS);
}

/** Binary search by id: ids increase with the times, and have no gaps. */
function firstIdAt(file: SqliteFile, ms: number): number {
  let low = 1;
  let high = readLastId(file) + 1;
  const timeOf = file.query<{ at_ms: number }, [number]>("select at_ms from entries where id = ?");
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (timeOf.get(middle)!.at_ms < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readLastId(file: SqliteFile): number {
  return file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
}
