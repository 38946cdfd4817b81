import type { Database as SqliteFile } from "bun:sqlite";
import type { Grain } from "./grains.ts";
import { EVERYBODY, type Extent } from "./series.ts";

/** What an account has used in a stretch of time, as far as it is in the database. */
export interface StoredRow extends Extent {
  readonly cells: Uint8Array;
}

export function readRow(file: SqliteFile, grain: Grain, slot: number, accountId: string): StoredRow | undefined {
  const sql = `select first_id as firstId, last_id as lastId, first_ms as firstMs, last_ms as lastMs, cells from usage_sums
    where grain = ? and slot = ? and account_id = ?`;
  return file.query<StoredRow, [string, number, string]>(sql).get(grain, slot, accountId) ?? undefined;
}

/** The rows of each account, those behind `afterAccount`. */
export function readRows(file: SqliteFile, grain: Grain, slot: number, afterAccount: string, limit: number): AccountRow[] {
  const sql =
    "select account_id as accountId, cells from usage_sums where grain = ? and slot = ? and account_id > ? order by account_id limit ?";
  return file.query<AccountRow, [string, number, string, number]>(sql).all(grain, slot, afterAccount, limit);
}

/** What stands for everybody is no account's, and comes before all of them. */
export const BEFORE_ALL = EVERYBODY;

export interface AccountRow {
  readonly accountId: string;
  readonly cells: Uint8Array;
}

/** The first and the last slot of which there are rows. */
export function slotsWithRows(file: SqliteFile, grain: Grain): number[] {
  const sql = `select slot from (select min(slot) as slot from usage_sums where grain = $grain union all
    select max(slot) as slot from usage_sums where grain = $grain) where slot is not null`;
  return file
    .query<{ slot: number }, { grain: string }>(sql)
    .all({ grain })
    .map(({ slot }) => slot);
}
