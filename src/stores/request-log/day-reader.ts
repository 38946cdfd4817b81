import { Database as SqliteFile, type SQLQueryBindings } from "bun:sqlite";
import type { LoggedBodies, LoggedRequest } from "../../requests/logged-request.ts";
import type { MirrorResult } from "../../requests/mirror-result.ts";
import {
  matchingIds,
  mirroredChunk,
  mirroredRequest,
  SQLITE_MIRRORS,
  type DayFilter,
  type MirrorFilter,
} from "./mirrors/mirror-conditions.ts";
import type { ResultSpan } from "./mirrors/mirror-days.ts";
import { readResults } from "./mirrors/mirror-table.ts";
import { writeAttribution } from "../../money/attribution.ts";
import type { AmountOrder, AttributedFilter, ErasedRequest } from "./request-log-store.ts";
import { mayHave } from "./name-filter.ts";
import { CHUNK_ROWS, FIELD_NAMES, FIELDS, fromRow, SELECT, uuidOf, type RequestRow } from "./request-rows.ts";
import { SELECT_END_ROW, SELECT_SERIES, type Name, type SumRow } from "./statistics/sum-table.ts";
import { attributedCondition, conditionOn, sortedAmount, SQLITE, unindexedConditions } from "./log-dialect.ts";

export type Direction = "older" | "newer";

/** A request and its row number. */
export interface NumberedRequest {
  readonly row: number;
  readonly request: LoggedRequest;
}

/** A request of a day, with the amount by which requests are ordered. */
export interface RankedRow {
  readonly row: number;
  readonly amount: number;
}

/** The order, the amounts and the number of the requests of a day to rank. */
export interface RankQuery {
  readonly order: AmountOrder;
  /** Conditions on the amount, an SQL expression, and on `row`. */
  readonly between: (amount: string, bind: (value: number) => string) => readonly string[];
  readonly limit: number;
}

const TABLE_NAMES = { chunks: "chunks", mirrors: "mirrors" } as const;

/** Conditions of a statement, with the values of their parameters in order. */
class Conditions {
  readonly values: SQLQueryBindings[] = [];
  readonly #all: string[] = [];

  add(condition: string, ...values: readonly SQLQueryBindings[]): void {
    this.#all.push(condition);
    this.values.push(...values);
  }

  /** Adds a value, and returns its parameter for the condition that is added next. */
  readonly bind = (value: SQLQueryBindings): string => {
    this.values.push(value);
    return "?";
  };

  get text(): string {
    return this.#all.join(" and ");
  }
}

/** A day file, open for reading. One chunk is read in a turn of the event loop; between two chunks requests are served. */
export class DayReader {
  readonly #file: SqliteFile;

  constructor(path: string) {
    // Not `readonly`: the last connection to close checkpoints the WAL, and a read-only connection cannot do that.
    this.#file = new SqliteFile(path, { readwrite: true, create: false, strict: true });
    try {
      this.#file.run("pragma busy_timeout = 0");
      this.#file.run("pragma query_only = on");
      // In KiB. Small, because many files may be open, and most pages are read once.
      this.#file.run("pragma cache_size = -1000");
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** The chunks that may have matching requests after a row, in reading order. */
  chunks(filter: DayFilter, afterRow: number | undefined, direction: Direction): number[] {
    const conditions: string[] = [];
    const values: SQLQueryBindings[] = [];
    const add = (condition: string, ...more: SQLQueryBindings[]): void => {
      conditions.push(condition);
      values.push(...more);
    };
    if (filter.fromMs !== undefined) add("to_ms >= ?", filter.fromMs);
    if (filter.toMs !== undefined) add("from_ms < ?", filter.toMs);
    if (afterRow !== undefined) add(direction === "older" ? "chunk <= ?" : "chunk >= ?", Math.floor(afterRow / CHUNK_ROWS));
    for (const field of FIELD_NAMES) {
      const accepted = filter[field];
      if (accepted === undefined) continue;
      const { condition, values: parameters } = conditionOn("value", accepted);
      add(`chunk in (select chunk from found where field = ? and ${condition})`, field, ...parameters);
    }
    if (filter.mirror) add(mirroredChunk(filter.mirror, "?", TABLE_NAMES, SQLITE_MIRRORS), elsewhereOf(filter));
    return this.#chunksWhere(conditions, values, direction);
  }

  /** The matching requests of one chunk after a row, at most `limit`. */
  read(chunk: number, filter: DayFilter, afterRow: number | undefined, direction: Direction, limit: number): NumberedRequest[] {
    const where = this.#matchesIn(chunk, filter);
    if (!where) return [];
    if (afterRow !== undefined) where.add(direction === "older" ? "row < ?" : "row > ?", afterRow);
    const sql = `${SELECT} where ${where.text} order by row ${inOrder(direction)} limit ?`;
    const rows = this.#file.query<RequestRow, SQLQueryBindings[]>(sql).all(...where.values, limit);
    return rows.map((row) => ({ row: row.row, request: fromRow(row) }));
  }

  /** The number of matching requests of one chunk. */
  count(chunk: number, filter: DayFilter): number {
    const where = this.#matchesIn(chunk, filter);
    if (!where) return 0;
    const sql = `select count(*) as count from requests where ${where.text}`;
    return this.#file.query<{ count: number }, SQLQueryBindings[]>(sql).get(...where.values)!.count;
  }

  /** The first matching requests of one chunk in the order of an amount. */
  rank(chunk: number, filter: DayFilter, { order, between, limit }: RankQuery): RankedRow[] {
    const where = this.#matchesIn(chunk, filter);
    if (!where) return [];
    const amount = sortedAmount(order);
    for (const condition of between(amount, where.bind)) where.add(condition);
    const sql = `select row, ${amount} as amount from requests where ${where.text} order by amount ${amountOrder(order)}, row desc limit ?`;
    return this.#file.query<RankedRow, SQLQueryBindings[]>(sql).all(...where.values, limit);
  }

  /** The requests of these rows. */
  rows(rows: readonly number[]): NumberedRequest[] {
    const sql = `${SELECT} where row in (select value from json_each(?))`;
    const found = this.#file.query<RequestRow, [string]>(sql).all(JSON.stringify(rows));
    return found.map((row) => ({ row: row.row, request: fromRow(row) }));
  }

  /** The chunks that may have a request. */
  chunksWith(uuid: string): number[] {
    return this.#chunksWhere(["first_id <= unhex(?, '-')", "last_id >= unhex(?, '-')"], [uuid, uuid], "newer");
  }

  find(chunk: number, uuid: string): LoggedRequest | undefined {
    const sql = `${SELECT} where row >= ? and row < ? and id = unhex(?, '-')`;
    const row = this.#file.query<RequestRow, SQLQueryBindings[]>(sql).get(chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS, uuid);
    return row ? fromRow(row) : undefined;
  }

  hasBodies(uuid: string): boolean {
    return this.#file.query<unknown, [string]>("select 1 from bodies where id = unhex(?, '-')").get(uuid) !== null;
  }

  bodies(uuid: string): LoggedBodies | undefined {
    const sql = "select request, reply, is_cut from bodies where id = unhex(?, '-')";
    const row = this.#file.query<{ request: string | null; reply: string | null; is_cut: number }, [string]>(sql).get(uuid);
    return row ? { request: row.request, reply: row.reply, isCut: row.is_cut === 1 } : undefined;
  }

  /** The results of these mirrored requests. */
  mirrors(uuids: readonly string[]): MirrorResult[] {
    const sql = "select result from mirrors where id in (select unhex(value, '-') from json_each(?))";
    return readResults(this.#file.query<{ result: string }, [string]>(sql).all(JSON.stringify(uuids)));
  }

  /** The UUIDs of the mirrored requests of a span with matching results. */
  mirroredIn({ from, to }: ResultSpan, mirror: MirrorFilter): string[] {
    const ids = `${matchingIds(mirror, TABLE_NAMES, SQLITE_MIRRORS)} and id >= unhex(?, '-') and id < unhex(?, '-')`;
    const sql = `select lower(hex(id)) as id from (${ids})`;
    return this.#file
      .query<{ id: string }, [string, string]>(sql)
      .all(from, to)
      .map(({ id }) => id);
  }

  /** The newest results of a model, at most `limit`. */
  mirrorsOf(model: string, limit: number): MirrorResult[] {
    const sql = "select result from mirrors where model = ? order by id desc limit ?";
    return readResults(this.#file.query<{ result: string }, [string, number]>(sql).all(model, limit));
  }

  /**
   * Replaces attributions, and deletes bodies. This is the only change that a reader makes. It is made within one turn of the event loop,
   * so that the writer of the day does not run meanwhile.
   */
  erase(erased: readonly ErasedRequest[]): void {
    this.#file.run("pragma query_only = off");
    try {
      // Deleted text is overwritten.
      this.#file.run("pragma secure_delete = on");
      const update = this.#file.query("update requests set attribution = ? where row = ?");
      const readAll = this.#file.query("insert or replace into names values (?, null)");
      const drop = this.#file.query("delete from bodies where id = unhex(?, '-')");
      this.#file
        .transaction(() => {
          for (const chunk of new Set(erased.map(({ position }) => Math.floor(position.row / CHUNK_ROWS)))) readAll.run(chunk);
          for (const { position, request, attribution, deletesBodies } of erased) {
            update.run(writeAttribution(attribution), position.row);
            if (deletesBodies) drop.run(uuidOf(request.requestId)!);
          }
        })
        .immediate();
    } finally {
      this.#file.run("pragma query_only = on");
    }
  }

  /** Whether the stored sums include all rows. */
  get areSumsComplete(): boolean {
    const hasSums = this.#file.query("select 1 from sqlite_master where name = 'summed'").get() !== null;
    const { row } = this.#file.query<{ row: number | null }, []>("select max(row) as row from requests").get()!;
    if (row === null) return hasSums;
    return hasSums && (this.#file.query<{ end_row: number }, []>(SELECT_END_ROW).get()?.end_row ?? 0) > row;
  }

  /** The sums of an account and a model, or of all of them, for each quarter hour with requests in a range. */
  sums(account: Name, model: Name, from: number, to: number): SumRow[] {
    return this.#file.query<SumRow, [Record<string, string | number>]>(SELECT_SERIES).all({ account, model, from, to });
  }

  close(): void {
    this.#file.run("pragma query_only = off");
    this.#file.close();
  }

  /** The conditions on matching requests of a chunk. Undefined if it has none. */
  #matchesIn(chunk: number, filter: DayFilter): Conditions | undefined {
    if (!this.#mayHaveNames(chunk, filter.attributed ?? [])) return undefined;
    const where = new Conditions();
    where.add("row >= ? and row < ?", chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS);
    if (filter.fromMs !== undefined) where.add("ended_at_ms >= ?", filter.fromMs);
    if (filter.toMs !== undefined) where.add("ended_at_ms < ?", filter.toMs);
    for (const field of FIELD_NAMES) {
      const accepted = filter[field];
      if (accepted === undefined) continue;
      const { condition, values } = conditionOn(FIELDS[field], accepted);
      where.add(condition, ...values);
    }
    for (const attributed of filter.attributed ?? []) where.add(attributedCondition(attributed, "attribution", where.bind));
    for (const condition of unindexedConditions(filter, SQLITE, { number: where.bind, text: where.bind })) where.add(condition);
    const { mirror } = filter;
    if (mirror)
      where.add(mirroredRequest(mirror, { elsewhere: "?", chunk: String(chunk) }, TABLE_NAMES, SQLITE_MIRRORS), elsewhereOf(filter));
    return where;
  }

  #mayHaveNames(chunk: number, attributed: readonly AttributedFilter[]): boolean {
    if (attributed.length === 0) return true;
    const bits = this.#file.query<{ bits: Uint8Array | null }, [number]>("select bits from names where chunk = ?").get(chunk)?.bits;
    return !bits || attributed.every((each) => mayHave(bits, each));
  }

  #chunksWhere(conditions: readonly string[], values: readonly SQLQueryBindings[], direction: Direction): number[] {
    const where = conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
    const sql = `select chunk from chunks ${where} order by chunk ${inOrder(direction)}`;
    const rows = this.#file.query<{ chunk: number }, SQLQueryBindings[]>(sql).all(...values);
    return rows.map(({ chunk }) => chunk);
  }
}

function elsewhereOf({ mirroredElsewhere = [] }: DayFilter): string {
  return JSON.stringify(mirroredElsewhere);
}

export function amountOrder({ direction }: AmountOrder): "asc" | "desc" {
  return direction === "highest" ? "desc" : "asc";
}

function inOrder(direction: Direction): "asc" | "desc" {
  return direction === "newer" ? "asc" : "desc";
}
