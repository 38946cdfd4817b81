import type { RequestFilter } from "./request-log-store.ts";
import type { FIELDS } from "./request-table.ts";

/** What is asked for of one field: a value, one of several, or one of a range. */
export type Wanted = NonNullable<RequestFilter[keyof typeof FIELDS]>;

/** The same as a condition on a column, and what goes into its places. */
export function whereWanted(column: string, wanted: Wanted): { condition: string; values: readonly (string | number)[] } {
  if (typeof wanted !== "object") return { condition: `${column} = ?`, values: [wanted] };
  if ("least" in wanted) return { condition: `${column} between ? and ?`, values: [wanted.least, wanted.most] };
  return { condition: `${column} in (${wanted.map(() => "?").join(", ")})`, values: wanted };
}
