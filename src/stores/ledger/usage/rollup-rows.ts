import type { Database as SqliteFile } from "bun:sqlite";
import type { EncodedCells } from "./cells.ts";
import type { Granularity } from "./granularity.ts";
import { EVERYBODY, type Extent } from "./series.ts";
import { USAGE, type SeriesTables } from "./series-tables.ts";

/** A stored row: the usage of some series of an owner in one slot. */
interface StoredRow extends Extent, EncodedCells {}

/** The owner of a row, and the part of the owner's series. */
export interface RowKey {
  readonly owner: string;
  readonly part: number;
}

export interface KeyedRow extends RowKey, EncodedCells {}

/** A range of owners: one owner, or all owners between two others, exclusive. */
export type Owners = { readonly one: string } | { readonly after: string; readonly before: string };

/** `EVERYBODY` comes before all accounts. */
export const ALL_ACCOUNTS: Owners = { after: EVERYBODY, before: "\uffff" };

export function isAmong(owner: string, owners: Owners): boolean {
  return "one" in owners ? owner === owners.one : owner > owners.after && owner < owners.before;
}

/** Rows of one page. */
export const ROWS_AT_ONCE = 32;

const EXTENT = "first_id as firstId, last_id as lastId, first_ms as firstMs, last_ms as lastMs";

export function readRow(
  file: SqliteFile,
  { sums, owner: column }: SeriesTables,
  granularity: Granularity,
  slot: number,
  { owner, part }: RowKey,
): StoredRow | undefined {
  const sql = `select ${EXTENT}, cells, figures from ${sums} where grain = ? and slot = ? and ${column} = ? and part = ?`;
  return file.query<StoredRow, [string, number, string, number]>(sql).get(granularity, slot, owner, part) ?? undefined;
}

export function writeRow(
  file: SqliteFile,
  { sums, owner: column }: SeriesTables,
  granularity: Granularity,
  slot: number,
  { owner, part }: RowKey,
  row: StoredRow,
): void {
  const { firstId, lastId, firstMs, lastMs, cells, figures } = row;
  // An update in place: `insert or replace` would move the row to the end of the table, away from the rows that are read with it.
  const sql = `insert into ${sums} (grain, slot, ${column}, part, first_id, last_id, first_ms, last_ms, cells, figures)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do update set first_id = excluded.first_id, last_id = excluded.last_id,
    first_ms = excluded.first_ms, last_ms = excluded.last_ms, cells = excluded.cells, figures = excluded.figures`;
  file.query(sql).run(granularity, slot, owner, part, firstId, lastId, firstMs, lastMs, cells, figures);
}

/**
 * A page of the rows of these owners, after a key. The limit is part of the SQL: SQLite would compile a statement with the limit as a
 * parameter again each time.
 */
export function readRows(
  file: SqliteFile,
  { sums, owner: column }: SeriesTables,
  granularity: Granularity,
  slot: number,
  owners: Owners,
  after = beforeFirst(owners),
): KeyedRow[] {
  const rows = `select ${column} as owner, part, cells, figures from ${sums} where grain = ? and slot = ?`;
  if ("one" in owners) {
    const sql = `${rows} and ${column} = ? and part > ? order by part limit ${ROWS_AT_ONCE}`;
    return file.query<KeyedRow, [string, number, string, number]>(sql).all(granularity, slot, owners.one, after.part);
  }
  const sql = `${rows} and (${column}, part) > (?, ?) and ${column} < ? order by ${column}, part limit ${ROWS_AT_ONCE}`;
  const bounds = [after.owner, after.part, owners.before] as const;
  return file.query<KeyedRow, [string, number, string, number, string]>(sql).all(granularity, slot, ...bounds);
}

function beforeFirst(owners: Owners): RowKey {
  return "one" in owners ? { owner: owners.one, part: -1 } : { owner: owners.after, part: Number.MAX_SAFE_INTEGER };
}

/** The extent of all rows of an account in a slot. */
export function readExtent(file: SqliteFile, granularity: Granularity, slot: number, accountId: string): Extent | undefined {
  const sql = `select min(first_id) as firstId, max(last_id) as lastId, min(first_ms) as firstMs, max(last_ms) as lastMs from ${USAGE.sums}
    where grain = ? and slot = ? and account_id = ? having count(*) > 0`;
  return file.query<Extent, [string, number, string]>(sql).get(granularity, slot, accountId) ?? undefined;
}

/** The first and the last slot with rows. */
export function slotsWithRows(file: SqliteFile, granularity: Granularity): number[] {
  // SQLite finds only a single `min` or `max` by index; both in one query, or either with another condition, would scan all rows.
  return ["min", "max"].flatMap((which) => {
    const sql = `select ${which}(slot) as slot from ${USAGE.sums} where grain = ?`;
    return file.query<{ slot: number | null }, [string]>(sql).get(granularity)?.slot ?? [];
  });
}
