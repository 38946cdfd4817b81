import type { Database as SqliteFile } from "bun:sqlite";
import type { Granularity } from "./granularity.ts";
import { EVERYBODY, type Extent } from "./series.ts";

/** A part of what an account has used in a stretch of time, as far as it is in the database. */
export interface StoredRow extends Extent {
  readonly cells: Uint8Array;
}

/** Whose a row is, and which of several. */
export interface RowKey {
  readonly accountId: string;
  readonly part: number;
}

export interface KeyedRow extends RowKey {
  readonly cells: Uint8Array;
}

/** Rows that are read at once. */
export const ROWS_AT_ONCE = 32;

const EXTENT = "first_id as firstId, last_id as lastId, first_ms as firstMs, last_ms as lastMs";

export function readRow(file: SqliteFile, granularity: Granularity, slot: number, { accountId, part }: RowKey): StoredRow | undefined {
  const sql = `select ${EXTENT}, cells from usage_sums where grain = ? and slot = ? and account_id = ? and part = ?`;
  return file.query<StoredRow, [string, number, string, number]>(sql).get(granularity, slot, accountId, part) ?? undefined;
}

export function writeRow(file: SqliteFile, granularity: Granularity, slot: number, { accountId, part }: RowKey, row: StoredRow): void {
  const { firstId, lastId, firstMs, lastMs, cells } = row;
  // In its place: a row that is replaced would move to the end, away from those that are read with it.
  const sql = `insert into usage_sums (grain, slot, account_id, part, first_id, last_id, first_ms, last_ms, cells)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do update set first_id = excluded.first_id, last_id = excluded.last_id,
    first_ms = excluded.first_ms, last_ms = excluded.last_ms, cells = excluded.cells`;
  file.query(sql).run(granularity, slot, accountId, part, firstId, lastId, firstMs, lastMs, cells);
}

/** The first rows of one account, those behind a part. A limit that is a parameter would have SQLite compile this anew each time. */
export function readRowsOf(file: SqliteFile, granularity: Granularity, slot: number, after: RowKey): KeyedRow[] {
  const sql = `select account_id as accountId, part, cells from usage_sums
    where grain = ? and slot = ? and account_id = ? and part > ? order by part limit ${ROWS_AT_ONCE}`;
  return file.query<KeyedRow, [string, number, string, number]>(sql).all(granularity, slot, after.accountId, after.part);
}

/** The first rows of each account, those behind a place. */
export function readRows(file: SqliteFile, granularity: Granularity, slot: number, after: RowKey): KeyedRow[] {
  const sql = `select account_id as accountId, part, cells from usage_sums
    where grain = ? and slot = ? and (account_id, part) > (?, ?) order by account_id, part limit ${ROWS_AT_ONCE}`;
  return file.query<KeyedRow, [string, number, string, number]>(sql).all(granularity, slot, after.accountId, after.part);
}

/** What stands for everybody is no account's, and comes before all of them. */
export const BEFORE_ALL: RowKey = { accountId: EVERYBODY, part: Number.MAX_SAFE_INTEGER };

/** What all of an account's rows are of. */
export function readExtent(file: SqliteFile, granularity: Granularity, slot: number, accountId: string): Extent | undefined {
  const sql = `select min(first_id) as firstId, max(last_id) as lastId, min(first_ms) as firstMs, max(last_ms) as lastMs from usage_sums
    where grain = ? and slot = ? and account_id = ? having count(*) > 0`;
  return file.query<Extent, [string, number, string]>(sql).get(granularity, slot, accountId) ?? undefined;
}

/** The first and the last slot of which there are rows. */
export function slotsWithRows(file: SqliteFile, granularity: Granularity): number[] {
  // Each by itself is found at once; together, or with a condition, all rows would be looked at.
  return ["min", "max"].flatMap((which) => {
    const sql = `select ${which}(slot) as slot from usage_sums where grain = ?`;
    return file.query<{ slot: number | null }, [string]>(sql).get(granularity)?.slot ?? [];
  });
}
