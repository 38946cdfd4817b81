import type { LoggedBodies, LoggedRequest } from "../../../requests/logged-request.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { amountOrder, type Direction, type NumberedRequest, type RankedRow, type RankQuery } from "../day-reader.ts";
import { attributedCondition, POSTGRES, sortedAmount, unindexedConditions } from "../log-dialect.ts";
import { bitsOfNames } from "../name-filter.ts";
import { CHUNK_ROWS, COLUMN_NAMES, FIELD_NAMES, FIELDS, fromRow, uuidOf, type RequestRow } from "../request-rows.ts";
import type { MirrorResult } from "../../../requests/mirror-result.ts";
import {
  matchingIds,
  mirroredChunk,
  mirroredRequest,
  POSTGRES_MIRRORS,
  type DayFilter,
  type MirrorFilter,
} from "../mirrors/mirror-conditions.ts";
import type { ResultSpan } from "../mirrors/mirror-days.ts";
import { readResults } from "../mirrors/mirror-table.ts";
import { writeAttribution } from "../../../money/attribution.ts";
import type { AttributedFilter, ErasedRequest, RequestFilter } from "../request-log-store.ts";
import { COLUMN_TYPES, tablesOf } from "./day-tables.ts";
import { storable } from "./row-batch.ts";

/** How to read columns as JavaScript numbers, and in the form that `fromRow` expects. */
const READ_AS: Partial<Record<keyof RequestRow, string>> = {
  id: "replace(id::text, '-', '') as id",
  cost_nanos: "cost_nanos::text as cost_nanos",
};
const SELECTED = COLUMN_NAMES.map((name) => READ_AS[name] ?? (COLUMN_TYPES[name] === "bigint" ? `${name}::float8 as ${name}` : name));

/** Conditions of a statement, with its parameters. */
class Conditions {
  readonly parameters: unknown[] = [];
  readonly #all: string[] = [];

  /** Adds a condition on a parameter. */
  add(value: unknown, condition: (parameter: string) => string): void {
    if (value !== undefined) this.#all.push(condition(this.parameter(value)));
  }

  addText(condition: string): void {
    this.#all.push(condition);
  }

  parameter(value: unknown): string {
    return `$${this.parameters.push(value)}`;
  }

  get text(): string {
    return this.#all.length > 0 ? this.#all.join(" and ") : "true";
  }
}

/** Reads the tables of one day, in short statements: a day can be dropped between any two statements. */
export class PartitionReader {
  readonly #pool: PostgresPool;
  readonly #day: string;

  constructor(pool: PostgresPool, day: string) {
    this.#pool = pool;
    this.#day = day;
  }

  /** The chunks that may have matching requests after a row, in reading order. */
  async chunks(filter: DayFilter, afterRow: number | undefined, direction: Direction): Promise<number[]> {
    const tables = tablesOf(this.#day);
    const { chunks, found } = tables;
    const where = new Conditions();
    where.add(filter.fromMs, (ms) => `to_ms >= ${ms}::float8`);
    where.add(filter.toMs, (ms) => `from_ms < ${ms}::float8`);
    const afterChunk = afterRow === undefined ? undefined : Math.floor(afterRow / CHUNK_ROWS);
    where.add(afterChunk, (chunk) => `chunk ${direction === "older" ? "<=" : ">="} ${chunk}::bigint`);
    for (const field of FIELD_NAMES) {
      where.add(
        acceptedTexts(filter, field),
        (texts) => `chunk in (select chunk from ${found} where field = '${field}' and value = any(${texts}::text[]))`,
      );
    }
    for (const attributed of filter.attributed ?? []) this.#addNames(attributed, where);
    const { mirror, mirroredElsewhere = [] } = filter;
    if (mirror) where.addText(mirroredChunk(mirror, where.parameter(mirroredElsewhere), tables, POSTGRES_MIRRORS));
    const sql = `select chunk::float8 as chunk from ${chunks} as chunks where ${where.text} order by chunk ${inOrder(direction)}`;
    const rows = await this.#pool.query<{ chunk: number }>(sql, where.parameters);
    return rows.map(({ chunk }) => chunk);
  }

  /** The matching requests of some chunks after a row, at most `limit`. */
  async read(
    chunks: readonly number[],
    filter: DayFilter,
    afterRow: number | undefined,
    direction: Direction,
    limit: number,
  ): Promise<NumberedRequest[]> {
    const where = new Conditions();
    const listed = where.parameter(chunks);
    const most = where.parameter(limit);
    where.add(afterRow, (row) => `row ${direction === "older" ? "<" : ">"} ${row}::bigint`);
    this.#addMatches(where, filter);
    const sql = `${this.#select(SELECTED.join(", "), listed, where)} order by rows.row ${inOrder(direction)} limit ${most}`;
    const rows = await this.#pool.query<RequestRow>(sql, where.parameters);
    return rows.map((row) => ({ row: row.row, request: fromRow(row) }));
  }

  /** The number of matching requests of some chunks. */
  async count(chunks: readonly number[], filter: DayFilter): Promise<number> {
    const where = new Conditions();
    const listed = where.parameter(chunks);
    this.#addMatches(where, filter);
    const [found] = await this.#pool.query<{ count: number }>(this.#select("count(*)::float8 as count", listed, where), where.parameters);
    return found!.count;
  }

  /** The first matching requests of some chunks in the order of an amount. */
  async rank(chunks: readonly number[], filter: DayFilter, { order, between, limit }: RankQuery): Promise<readonly RankedRow[]> {
    const where = new Conditions();
    const listed = where.parameter(chunks);
    const most = where.parameter(limit);
    this.#addMatches(where, filter);
    const amount = sortedAmount(order);
    for (const condition of between(amount, (value) => `${where.parameter(value)}::float8`)) where.addText(condition);
    const select = this.#select(`row::float8 as row, ${amount}::float8 as amount`, listed, where);
    return this.#pool.query<RankedRow>(`${select} order by amount ${amountOrder(order)}, rows.row desc limit ${most}`, where.parameters);
  }

  /** The requests of these rows. */
  async rows(rows: readonly number[]): Promise<NumberedRequest[]> {
    const sql = `select ${SELECTED.join(", ")} from ${tablesOf(this.#day).requests} where row = any($1::bigint[])`;
    const found = await this.#pool.query<RequestRow>(sql, [rows]);
    return found.map((row) => ({ row: row.row, request: fromRow(row) }));
  }

  async find(uuid: string): Promise<LoggedRequest | undefined> {
    const { chunks } = tablesOf(this.#day);
    const spans = await this.#pool.query<{ chunk: number }>(
      `select chunk::float8 as chunk from ${chunks} where first_id <= $1::uuid and last_id >= $1::uuid`,
      [uuid],
    );
    if (spans.length === 0) return undefined;
    const where = new Conditions();
    const listed = where.parameter(spans.map(({ chunk }) => chunk));
    where.add(uuid, (id) => `id = ${id}::uuid`);
    const [row] = await this.#pool.query<RequestRow>(`${this.#select(SELECTED.join(", "), listed, where)} limit 1`, where.parameters);
    return row && fromRow(row);
  }

  async hasBodies(uuid: string): Promise<boolean> {
    const rows = await this.#pool.query(`select 1 from ${tablesOf(this.#day).bodies} where id = $1::uuid`, [uuid]);
    return rows.length > 0;
  }

  async bodies(uuid: string): Promise<LoggedBodies | undefined> {
    const sql = `select request, reply, is_cut as "isCut" from ${tablesOf(this.#day).bodies} where id = $1::uuid`;
    const [row] = await this.#pool.query<LoggedBodies>(sql, [uuid]);
    return row && { request: row.request, reply: row.reply, isCut: row.isCut };
  }

  /** The results of these mirrored requests. */
  async mirrors(uuids: readonly string[]): Promise<MirrorResult[]> {
    const sql = `select result from ${tablesOf(this.#day).mirrors} where id = any($1::text[]::uuid[])`;
    return readResults(await this.#pool.query<{ result: string }>(sql, [uuids]));
  }

  /** The UUIDs of the mirrored requests of a span with matching results. */
  async mirroredIn({ from, to }: ResultSpan, mirror: MirrorFilter): Promise<string[]> {
    const ids = `${matchingIds(mirror, tablesOf(this.#day), POSTGRES_MIRRORS)} and id >= $1::uuid and id < $2::uuid`;
    const sql = `select id::text as id from (${ids}) as found`;
    return (await this.#pool.query<{ id: string }>(sql, [from, to])).map(({ id }) => id);
  }

  /** The newest results of a model, at most `limit`. */
  async mirrorsOf(model: string, limit: number): Promise<MirrorResult[]> {
    const sql = `select result from ${tablesOf(this.#day).mirrors} where model = $1 order by id desc limit $2`;
    return readResults(await this.#pool.query<{ result: string }>(sql, [storable(model), limit]));
  }

  /** Replaces attributions, and deletes bodies. */
  async erase(erased: readonly ErasedRequest[]): Promise<void> {
    const { requests, bodies } = tablesOf(this.#day);
    const [rows, texts] = [erased.map(({ position }) => position.row), erased.map(({ attribution }) => writeAttribution(attribution))];
    await this.#pool.query(
      `update ${requests} set attribution = given.attribution from unnest($1::bigint[], $2::text[]) as given (row, attribution)
      where ${requests}.row = given.row`,
      [rows, texts],
    );
    // Otherwise the filters of their chunks would still reveal that a name was there.
    await this.#pool.query(
      `insert into request_log_names (day, chunk) select $1, chunk from unnest($2::bigint[]) as chunk on conflict (day, chunk) do update set bits = null`,
      [this.#day, [...new Set(rows.map((row) => Math.floor(row / CHUNK_ROWS)))]],
    );
    const ids = erased.flatMap(({ request, deletesBodies }) => (deletesBodies ? uuidOf(request.requestId)! : []));
    await this.#pool.query(`delete from ${bodies} where id = any($1::text[]::uuid[])`, [ids]);
  }

  #addMatches(where: Conditions, filter: DayFilter): void {
    addMatches(where, filter);
    const { mirror, mirroredElsewhere = [] } = filter;
    if (!mirror) return;
    const within = { elsewhere: where.parameter(mirroredElsewhere), chunk: "listed.chunk" };
    where.addText(mirroredRequest(mirror, within, tablesOf(this.#day), POSTGRES_MIRRORS));
  }

  /** Excludes chunks whose filter lacks the names. */
  #addNames(attributed: AttributedFilter, where: Conditions): void {
    const names = bitsOfNames({ ...attributed, names: attributed.names.map(storable) });
    if (!names) return;
    const hasName = names.map((bits) => `(${bits.map((bit) => `get_bit(bits, ${bit}) = 1`).join(" and ")})`).join(" or ");
    where.addText(
      `not exists (select from request_log_names as names where day = ${where.parameter(this.#day)} and names.chunk = chunks.chunk and not (${hasName}))`,
    );
  }

  /**
   * The matching rows of some chunks. `offset 0` forces each chunk to be read by its range of the primary key, whatever the planner
   * estimates.
   */
  #select(selected: string, chunks: string, where: Conditions): string {
    const { requests } = tablesOf(this.#day);
    return `select ${selected} from unnest(${chunks}::bigint[]) as listed (chunk) join lateral (
        select * from ${requests} where row >= chunk * ${CHUNK_ROWS} and row < (chunk + 1) * ${CHUNK_ROWS} and ${where.text} offset 0
      ) as rows on true`;
  }
}

/** The conditions on the columns of matching requests. */
function addMatches(where: Conditions, filter: RequestFilter): void {
  where.add(filter.fromMs, (ms) => `ended_at_ms >= ${ms}::float8`);
  where.add(filter.toMs, (ms) => `ended_at_ms < ${ms}::float8`);
  for (const field of FIELD_NAMES) {
    const column = FIELDS[field];
    where.add(acceptedTexts(filter, field), (texts) => `${column} = any(${texts}::text[]::${COLUMN_TYPES[column]}[])`);
  }
  const text = (value: string): string => `${where.parameter(storable(value))}::text`;
  const number = (value: number | bigint): string => `${where.parameter(String(value))}::text::numeric`;
  for (const attributed of filter.attributed ?? []) where.addText(attributedCondition(attributed, "attribution::jsonb", text));
  for (const condition of unindexedConditions(filter, POSTGRES, { number, text })) where.addText(condition);
}

/** The values of a field that a filter accepts, as texts. */
function acceptedTexts(filter: RequestFilter, field: keyof typeof FIELDS): string[] | undefined {
  const accepted = filter[field];
  if (accepted === undefined) return undefined;
  if (typeof accepted !== "object") return [storable(String(accepted))];
  if (!("least" in accepted)) return [...accepted];
  const { least, most } = accepted;
  return Array.from({ length: Math.max(0, most - least + 1) }, (_, at) => String(least + at));
}

function inOrder(direction: Direction): "asc" | "desc" {
  return direction === "newer" ? "asc" : "desc";
}
