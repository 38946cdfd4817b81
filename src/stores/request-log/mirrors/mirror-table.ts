import type { MirrorResult } from "../../../requests/mirror-result.ts";
import { SQLITE_MIRRORS } from "./mirror-conditions.ts";

/**
 * The results of mirrored requests, in the file of the day on which the mirror ended. `result` is JSON. The index contains only the results
 * that differ: reading a result takes as long as reading ten requests, and most results are the same.
 */
export const CREATE_MIRRORS = [
  "create table if not exists mirrors (id blob primary key, model text not null, result text not null) without rowid",
  `create index if not exists different_mirrors on mirrors (id) where ${SQLITE_MIRRORS.different}`,
] as const;

export function readResults(rows: readonly { readonly result: string }[]): MirrorResult[] {
  return rows.map(({ result }) => JSON.parse(result) as MirrorResult);
}
