import type { RequestFilter } from "../request-log-store.ts";
import type { FIELDS } from "./request-table.ts";
import { storedNamesOf } from "./stored-outcome.ts";

/** What is asked for of one field: a value, one of several, or one of a range. */
export type Wanted = NonNullable<RequestFilter[keyof typeof FIELDS]>;

/** The values of a field that a filter accepts, as day files store them. */
export function acceptedValues(filter: RequestFilter, field: keyof typeof FIELDS): Wanted | readonly string[] | undefined {
  const { outcome } = filter;
  if (field !== "outcome" || outcome === undefined) return filter[field];
  return storedNamesOf(typeof outcome === "string" ? [outcome] : outcome);
}

/** The same as a condition on a column, and its parameters. */
export function conditionOn(
  column: string,
  wanted: Wanted | readonly string[],
): { condition: string; values: readonly (string | number)[] } {
  if (typeof wanted !== "object") return { condition: `${column} = ?`, values: [wanted] };
  if ("least" in wanted) return { condition: `${column} between ? and ?`, values: [wanted.least, wanted.most] };
  return { condition: `${column} in (${wanted.map(() => "?").join(", ")})`, values: wanted };
}
