import type { Database as SqliteFile } from "bun:sqlite";
import type { Grain } from "./grains.ts";

/** The entry up to which the rows of a rollup count. */
export type StoredIds = (grain: Grain, shard: number) => number;

/** In place of a grain: the entry up to which all rollups count. Those that are behind it have had nothing to count. */
const ALL = "all";

export function readStoredIds(file: SqliteFile): StoredIds {
  const rows = file.query<{ grain: string; shard: number; id: number }, []>("select grain, shard, as_of_id as id from usage_rolled").all();
  const ofAll = rows.find(({ grain }) => grain === ALL)?.id ?? 0;
  return (grain, shard) => Math.max(ofAll, rows.find((row) => row.grain === grain && row.shard === shard)?.id ?? 0);
}

export function writeStoredId(file: SqliteFile, grain: Grain | typeof ALL, shard: number, id: number): void {
  file.query("insert or replace into usage_rolled (grain, shard, as_of_id) values (?, ?, ?)").run(grain, shard, id);
}

/** The rows of all rollups count up to this entry. */
export function writeStoredIdOfAll(file: SqliteFile, id: number): void {
  file.query("delete from usage_rolled where as_of_id <= ?").run(id);
  writeStoredId(file, ALL, 0, id);
}
