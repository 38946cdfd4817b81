import type { MirrorResult } from "../../../requests/mirror-result.ts";

/** The results of mirrored requests, in the file of the day on which the mirror ended. `result` is JSON. */
export const CREATE_MIRRORS =
  "create table if not exists mirrors (id blob primary key, model text not null, result text not null) without rowid";

export function readResults(rows: readonly { readonly result: string }[]): MirrorResult[] {
  return rows.map(({ result }) => JSON.parse(result) as MirrorResult);
}
