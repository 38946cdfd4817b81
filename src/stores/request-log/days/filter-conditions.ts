import { NO_NAME, tagOf } from "../../../money/attribution.ts";
import type { AttributedFilter, RequestFilter } from "../request-log-store.ts";
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

/** A filter by end user, conversation or tag as an SQL condition, and its parameters. `json` is the column as JSON. */
export function attributedCondition({ dimension, names }: AttributedFilter, json: string, parameter: (value: string) => string): string {
  const tag = tagOf(dimension);
  const name = tag === undefined ? `${json} ->> '${dimension}'` : `${json} -> 'tags' ->> ${parameter(tag)}`;
  if (names.includes(NO_NAME)) return `${name} is null`;
  return `${name} in (${names.map(parameter).join(", ")})`;
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
