import type { Database as SqliteFile } from "bun:sqlite";
import type { Granularity } from "./granularity.ts";

/** The watermark of a rollup: the last entry that its rows include. */
interface Watermark {
  readonly granularity: Granularity;
  readonly shard: number;
  readonly id: number;
}

/** Used instead of a granularity, for the watermark of all rollups. A rollup with a lower watermark had nothing to count. */
const ALL = "all";

const SELECT = "select grain as granularity, shard, as_of_id as id from usage_rolled";

export function readSharedWatermark(file: SqliteFile): number {
  return file.query<{ id: number }, [string]>(`${SELECT} where grain = ?`).get(ALL)?.id ?? 0;
}

/** The watermarks of rollups that are ahead of the others, because they were written and the others were not yet. */
export function readWatermarksAhead(file: SqliteFile): Watermark[] {
  return file.query<Watermark, [string]>(`${SELECT} where grain <> ?`).all(ALL);
}

export function readWatermark(file: SqliteFile, granularity: Granularity, shard: number): number {
  const own = file.query<{ id: number }, [string, number]>(`${SELECT} where grain = ? and shard = ?`).get(granularity, shard)?.id ?? 0;
  return Math.max(own, readSharedWatermark(file));
}

export function writeWatermark(file: SqliteFile, granularity: Granularity | typeof ALL, shard: number, id: number): void {
  file.query("insert or replace into usage_rolled (grain, shard, as_of_id) values (?, ?, ?)").run(granularity, shard, id);
}

/** Sets the watermark of all rollups. */
export function writeSharedWatermark(file: SqliteFile, id: number): void {
  file.query("delete from usage_rolled where as_of_id <= ?").run(id);
  writeWatermark(file, ALL, 0, id);
}
