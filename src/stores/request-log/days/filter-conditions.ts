import type { RequestFilter } from "../request-log-store.ts";
import type { FIELDS } from "./request-table.ts";
import { storedNamesOf } from "./stored-outcome.ts";

/** The filter of one field: a value, one of several, or a range. */
export type FieldFilter = NonNullable<RequestFilter[keyof typeof FIELDS]>;

/** The values of a field that a filter accepts, as day files store them. */
export function acceptedValues(filter: RequestFilter, field: keyof typeof FIELDS): FieldFilter | readonly string[] | undefined {
  const { outcome } = filter;
  if (field !== "outcome" || outcome === undefined) return filter[field];
  return storedNamesOf(typeof outcome === "string" ? [outcome] : outcome);
}

/** A filter as an SQL condition on a column, and its parameters. */
export function conditionOn(
  column: string,
  accepted: FieldFilter | readonly string[],
): { condition: string; values: readonly (string | number)[] } {
  if (typeof accepted !== "object") return { condition: `${column} = ?`, values: [accepted] };
  if ("least" in accepted) return { condition: `${column} between ? and ?`, values: [accepted.least, accepted.most] };
  return { condition: `${column} in (${accepted.map(() => "?").join(", ")})`, values: accepted };
}
