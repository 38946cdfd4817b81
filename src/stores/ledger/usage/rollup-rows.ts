import type { Database as SqliteFile } from "bun:sqlite";
import type { EncodedCells } from "./cells.ts";
import type { Granularity } from "./granularity.ts";
import { EVERYBODY, type Extent } from "./series.ts";

/** A stored row: the usage of some series of an account in one slot. */
export interface StoredRow extends Extent, EncodedCells {}

/** The account of a row, and which of its parts. */
export interface RowKey {
  readonly accountId: string;
  readonly part: number;
}

export interface KeyedRow extends RowKey, EncodedCells {}

/** Rows of one page. */
export const ROWS_AT_ONCE = 32;

const EXTENT = "first_id as firstId, last_id as lastId, first_ms as firstMs, last_ms as lastMs";

export function readRow(file: SqliteFile, granularity: Granularity, slot: number, { accountId, part }: RowKey): StoredRow | undefined {
  const sql = `select ${EXTENT}, cells, figures from usage_sums where grain = ? and slot = ? and account_id = ? and part = ?`;
  return file.query<StoredRow, [string, number, string, number]>(sql).get(granularity, slot, accountId, part) ?? undefined;
}

export function writeRow(file: SqliteFile, granularity: Granularity, slot: number, { accountId, part }: RowKey, row: StoredRow): void {
  const { firstId, lastId, firstMs, lastMs, cells, figures } = row;
  // An update, in place: `insert or replace` would move the row to the end of the table, away from those that are read with it.
  const sql = `insert into usage_sums (grain, slot, account_id, part, first_id, last_id, first_ms, last_ms, cells, figures)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do update set first_id = excluded.first_id, last_id = excluded.last_id,
    first_ms = excluded.first_ms, last_ms = excluded.last_ms, cells = excluded.cells, figures = excluded.figures`;
  file.query(sql).run(granularity, slot, accountId, part, firstId, lastId, firstMs, lastMs, cells, figures);
}

/** A page of the rows of one account, after a part. With the limit as a parameter, SQLite would compile the statement again each time. */
export function readRowsOf(file: SqliteFile, granularity: Granularity, slot: number, after: RowKey): KeyedRow[] {
  const sql = `select account_id as accountId, part, cells, figures from usage_sums
    where grain = ? and slot = ? and account_id = ? and part > ? order by part limit ${ROWS_AT_ONCE}`;
  return file.query<KeyedRow, [string, number, string, number]>(sql).all(granularity, slot, after.accountId, after.part);
}

/** A page of the rows of all accounts, after a key. */
export function readRows(file: SqliteFile, granularity: Granularity, slot: number, after: RowKey): KeyedRow[] {
  const sql = `select account_id as accountId, part, cells, figures from usage_sums
    where grain = ? and slot = ? and (account_id, part) > (?, ?) order by account_id, part limit ${ROWS_AT_ONCE}`;
  return file.query<KeyedRow, [string, number, string, number]>(sql).all(granularity, slot, after.accountId, after.part);
}

/** After the rows of `EVERYBODY`, which come before those of all accounts. */
export const BEFORE_ALL: RowKey = { accountId: EVERYBODY, part: Number.MAX_SAFE_INTEGER };

/** The extent of all rows of an account in a slot. */
export function readExtent(file: SqliteFile, granularity: Granularity, slot: number, accountId: string): Extent | undefined {
  const sql = `select min(first_id) as firstId, max(last_id) as lastId, min(first_ms) as firstMs, max(last_ms) as lastMs from usage_sums
    where grain = ? and slot = ? and account_id = ? having count(*) > 0`;
  return file.query<Extent, [string, number, string]>(sql).get(granularity, slot, accountId) ?? undefined;
}

/** The first and the last slot with rows. */
export function slotsWithRows(file: SqliteFile, granularity: Granularity): number[] {
  // SQLite finds min or max alone by index; both in one query, or with another condition, would scan all rows.
  return ["min", "max"].flatMap((which) => {
    const sql = `select ${which}(slot) as slot from usage_sums where grain = ?`;
    return file.query<{ slot: number | null }, [string]>(sql).get(granularity)?.slot ?? [];
  });
}
