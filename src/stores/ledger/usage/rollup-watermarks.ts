import type { Database as SqliteFile } from "bun:sqlite";
import type { Granularity } from "./granularity.ts";

/** The entry up to which the rows of a rollup count. */
export interface StoredId {
  readonly grain: Granularity;
  readonly shard: number;
  readonly id: number;
}

/** In place of a grain: the entry up to which all rollups count. Those that are behind it have had nothing to count. */
const ALL = "all";

const SELECT = "select grain, shard, as_of_id as id from usage_rolled";

export function readStoredIdOfAll(file: SqliteFile): number {
  return file.query<{ id: number }, [string]>(`${SELECT} where grain = ?`).get(ALL)?.id ?? 0;
}

/** Those of rollups that are ahead of the rest, because they were written and others were not. */
export function readStoredIdsAhead(file: SqliteFile): StoredId[] {
  return file.query<StoredId, [string]>(`${SELECT} where grain <> ?`).all(ALL);
}

export function readStoredId(file: SqliteFile, grain: Granularity, shard: number): number {
  const own = file.query<{ id: number }, [string, number]>(`${SELECT} where grain = ? and shard = ?`).get(grain, shard)?.id ?? 0;
  return Math.max(own, readStoredIdOfAll(file));
}

export function writeStoredId(file: SqliteFile, grain: Granularity | typeof ALL, shard: number, id: number): void {
  file.query("insert or replace into usage_rolled (grain, shard, as_of_id) values (?, ?, ?)").run(grain, shard, id);
}

/** The rows of all rollups count up to this entry. */
export function writeStoredIdOfAll(file: SqliteFile, id: number): void {
  file.query("delete from usage_rolled where as_of_id <= ?").run(id);
  writeStoredId(file, ALL, 0, id);
}
