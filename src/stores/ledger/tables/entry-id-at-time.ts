import type { Database as SqliteFile } from "bun:sqlite";

/** By how much the order of entries may differ from that of their times, because somebody has put the clock right. */
const CLOCK_SLACK_MS = 60 * 60 * 1000;

/** No entry before this one is of the moment or later. */
export function firstIdFrom(file: SqliteFile, ms: number): number {
  return binarySearch(file, ms - CLOCK_SLACK_MS);
}

/** No entry from this one on is from before the moment. */
export function endIdBefore(file: SqliteFile, ms: number): number {
  return binarySearch(file, ms + CLOCK_SLACK_MS);
}

/** Times stand in no index, which every entry would pay for; but ids rise with them, and have no gaps. */
function binarySearch(file: SqliteFile, ms: number): number {
  let low = 1;
  let high = (file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0) + 1;
  const timeOf = file.query<{ at_ms: number }, [number]>("select at_ms from entries where id = ?");
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (timeOf.get(middle)!.at_ms < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
