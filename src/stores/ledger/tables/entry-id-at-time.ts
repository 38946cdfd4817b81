import type { Database as SqliteFile } from "bun:sqlite";

/** The maximum difference between the order of entries and the order of their times, which arises when the wall clock is adjusted. */
const CLOCK_SLACK_MS = 60 * 60 * 1000;

/** A lower bound of the ids from a moment on: all earlier entries are older. */
export function firstIdFrom(file: SqliteFile, ms: number): number {
  return binarySearch(file, ms - CLOCK_SLACK_MS);
}

/** An upper bound of the ids before a moment: neither this entry nor a later one is older than the moment. */
export function endIdBefore(file: SqliteFile, ms: number): number {
  return binarySearch(file, ms + CLOCK_SLACK_MS);
}

/** Binary search by id: times have no index, which would slow down every insert, but ids increase with them and have no gaps. */
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
