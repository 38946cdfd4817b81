import type { LoggedBodies, LoggedRequest } from "../../requests/logged-request.ts";
import type { MirrorResult } from "../../requests/mirror-result.ts";
import {
  addChunkConditions,
  addRequestConditions,
  chunkLacksNames,
  matchingIds,
  sortedAmount,
  type DayFilter,
  type MirrorFilter,
} from "./filter-conditions.ts";
import type { LogDatabase } from "./log-database.ts";
import { Conditions, type DayTables, type LogDialect } from "./log-dialect.ts";
import type { ResultSpan } from "./mirrors/mirror-days.ts";
import type { AmountOrder } from "./request-log-store.ts";
import { chunkOf, fromRow, type RequestRow } from "./request-rows.ts";

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

/** A statement for some chunks, which is built once for all chunks of a day. */
type ChunkQuery<Result> = (chunks: readonly number[]) => Promise<Result>;

/** Reads one day, in short statements. */
export class DayReader {
  readonly #database: LogDatabase;
  readonly #day: string;
  readonly #dialect: LogDialect;
  readonly #tables: DayTables;

  constructor(database: LogDatabase, day: string) {
    this.#database = database;
    this.#day = day;
    this.#dialect = database.dialect;
    this.#tables = database.dialect.tablesOf(day);
  }

  /** The chunks that may have matching requests after a row, in reading order. */
  chunks(filter: DayFilter, afterRow: number | undefined, direction: Direction): Promise<number[]> {
    const where = new Conditions(this.#dialect);
    if (afterRow !== undefined) where.add(`chunk ${direction === "older" ? "<=" : ">="} ${where.bind("row", chunkOf(afterRow))}`);
    addChunkConditions(where, filter, this.#dialect, this.#tables);
    return this.#chunksWhere(where, direction);
  }

  /** The chunks that may have a request. */
  chunksWith(uuid: string): Promise<number[]> {
    const where = new Conditions(this.#dialect);
    const id = where.bind("uuid", uuid);
    where.add(`first_id <= ${id} and last_id >= ${id}`);
    return this.#chunksWhere(where, "newer");
  }

  /** Reads the matching requests of some chunks after a row, at most `limit` at once. */
  reads(filter: DayFilter, afterRow: number | undefined, direction: Direction, limit: number): ChunkQuery<readonly NumberedRequest[]> {
    const where = new Conditions(this.#dialect, 1);
    if (afterRow !== undefined) where.add(`row ${direction === "older" ? "<" : ">"} ${where.bind("row", afterRow)}`);
    const rows = this.#matching(where, filter);
    const sql = `${rows} order by rows.row ${inOrder(direction)} limit ${where.limit(limit)}`;
    return (chunks) => this.#requests(sql, where, chunks);
  }

  /** Counts the matching requests of some chunks. */
  counts(filter: DayFilter): ChunkQuery<number> {
    const where = new Conditions(this.#dialect, 1);
    const sql = `select ${this.#dialect.numberOf("count(*)")} as count from ${this.#matching(where, filter)}`;
    return async (chunks) => {
      const [found] = await this.#query<{ count: number }>(sql, where, chunks);
      return found?.count ?? 0;
    };
  }

  /** The first matching requests of some chunks in the order of an amount. */
  rank(chunks: readonly number[], filter: DayFilter, { order, between, limit }: RankQuery): Promise<readonly RankedRow[]> {
    const where = new Conditions(this.#dialect, 1);
    const dialect = this.#dialect;
    const amount = sortedAmount(dialect, order);
    where.add(...between(amount, (value) => where.bind("number", value)));
    const select = `select ${dialect.numberOf("row")} as row, ${dialect.numberOf(amount)} as amount from ${this.#matching(where, filter)}`;
    const direction = order.direction === "highest" ? "desc" : "asc";
    const sql = `${select} order by amount ${direction}, rows.row desc limit ${where.limit(limit)}`;
    return this.#query(sql, where, chunks);
  }

  /** The requests of these rows. */
  rows(rows: readonly number[]): Promise<NumberedRequest[]> {
    const where = new Conditions(this.#dialect);
    return this.#requests(`${this.#tables.requests} where row ${where.bind("anyRow", rows)}`, where);
  }

  /** Finds the request with an id in some chunks. */
  finds(uuid: string): ChunkQuery<LoggedRequest | undefined> {
    const where = new Conditions(this.#dialect, 1);
    where.add(`id = ${where.bind("uuid", uuid)}`);
    const sql = `${this.#matching(where, {})} limit 1`;
    return async (chunks) => (await this.#requests(sql, where, chunks))[0]?.request;
  }

  async hasBodies(uuid: string): Promise<boolean> {
    const where = new Conditions(this.#dialect);
    return (await this.#query(`select 1 from ${this.#tables.bodies} where id = ${where.bind("uuid", uuid)}`, where)).length > 0;
  }

  async bodies(uuid: string): Promise<LoggedBodies | undefined> {
    const where = new Conditions(this.#dialect);
    const [row] = await this.#query<{ request: string | null; reply: string | null; is_cut: number | boolean }>(
      `select request, reply, is_cut from ${this.#tables.bodies} where id = ${where.bind("uuid", uuid)}`,
      where,
    );
    return row && { request: row.request, reply: row.reply, isCut: Boolean(row.is_cut) };
  }

  /** The results of these mirrored requests. */
  mirrors(uuids: readonly string[]): Promise<MirrorResult[]> {
    const where = new Conditions(this.#dialect);
    return this.#results(`id in (${where.bind("ids", uuids)})`, where);
  }

  /** The newest results of a model, at most `limit`. */
  mirrorsOf(model: string, limit: number): Promise<MirrorResult[]> {
    const where = new Conditions(this.#dialect);
    return this.#results(`model = ${where.bind("text", model)} order by id desc limit ${where.limit(limit)}`, where);
  }

  /** The UUIDs of the mirrored requests of a span with matching results. */
  async mirroredIn({ from, to }: ResultSpan, mirror: MirrorFilter): Promise<string[]> {
    const where = new Conditions(this.#dialect);
    const ids = `${matchingIds(mirror, this.#dialect, this.#tables)} and id >= ${where.bind("uuid", from)} and id < ${where.bind("uuid", to)}`;
    const found = await this.#query<{ id: string }>(`select ${this.#dialect.hexId} as id from (${ids}) as found`, where);
    return found.map(({ id }) => id);
  }

  /** The rows of chunks that match, as what follows `from`. */
  #matching(where: Conditions, filter: DayFilter): string {
    const [dialect, tables] = [this.#dialect, this.#tables];
    addRequestConditions(where, filter, dialect, tables);
    const isExcluded = dialect.listsNames ? undefined : chunkLacksNames(dialect.listedChunk, filter, dialect, tables);
    return dialect.rowsOf(tables, where.text, isExcluded);
  }

  async #chunksWhere(where: Conditions, direction: Direction): Promise<number[]> {
    const select = `select ${this.#dialect.numberOf("chunk")} as chunk from ${this.#tables.chunks} as chunks`;
    const rows = await this.#query<{ chunk: number }>(`${select} where ${where.text} order by chunk ${inOrder(direction)}`, where);
    return rows.map(({ chunk }) => chunk);
  }

  async #requests(from: string, where: Conditions, chunks?: readonly number[]): Promise<NumberedRequest[]> {
    const rows = await this.#query<RequestRow>(`select ${this.#dialect.columns} from ${from}`, where, chunks);
    return rows.map((row) => ({ row: row.row, request: fromRow(row) }));
  }

  async #results(condition: string, where: Conditions): Promise<MirrorResult[]> {
    const rows = await this.#query<{ result: string }>(`select result from ${this.#tables.mirrors} where ${condition}`, where);
    return rows.map(({ result }) => JSON.parse(result) as MirrorResult);
  }

  /** `chunks` is the first parameter of a statement that reads the rows of chunks. */
  #query<Row>(sql: string, { parameters }: Conditions, chunks?: readonly number[]): Promise<readonly Row[]> {
    const all = chunks ? [this.#dialect.toChunks(chunks), ...parameters] : parameters;
    return this.#database.query<Row>(this.#day, sql, all);
  }
}

function inOrder(direction: Direction): "asc" | "desc" {
  return direction === "newer" ? "asc" : "desc";
}
