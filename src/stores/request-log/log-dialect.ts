import { NO_NAME, tagOf } from "../../money/attribution.ts";
import type { AmountOrder, Amount, AttributedFilter, RequestFilter } from "./request-log-store.ts";
import type { FIELDS } from "./request-rows.ts";

/** The filter of one field: a value, several values, or a range. */
type FieldFilter = NonNullable<RequestFilter[keyof typeof FIELDS]>;

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

/** The differences between the databases. */
interface Dialect {
  /** The number of elements of `attempts`, which is JSON. */
  readonly attemptCount: string;
  /** A condition: whether a detail of the request or of an attempt contains a text. */
  detailsWith(text: string, bind: (value: string) => string): string;
}

export const SQLITE: Dialect = {
  attemptCount: "json_array_length(attempts)",
  detailsWith: (text, bind) =>
    `exists (select 1 from (select detail as text union all select value ->> 'detail' from json_each(attempts))
      where text like ${bind(containing(text))} escape '\\')`,
};

export const POSTGRES: Dialect = {
  // Uses type json, which does not parse the elements.
  attemptCount: "json_array_length(attempts::json)",
  // Parsing JSON takes longer than searching it: most attempts do not contain the text, and are not parsed.
  detailsWith(text, bind) {
    const pattern = bind(containing(text));
    return `(detail ilike ${pattern} or attempts ilike ${bind(containingInJson(text))} and exists (
      select 1 from jsonb_array_elements(attempts::jsonb) as tried where tried ->> 'detail' ilike ${pattern}))`;
  },
};

function containing(text: string): string {
  return `%${escapePattern(text)}%`;
}

/**
 * A pattern that matches JSON with this text in one of its strings. Characters that PostgreSQL cannot store are U+FFFD or an escape,
 * depending on the version that wrote them.
 */
function containingInJson(text: string): string {
  const parts = JSON.stringify(text)
    .slice(1, -1)
    .split(/\\u(?:0000|d[89a-f][0-9a-f]{2})|\uFFFD/);
  return `%${parts.map(escapePattern).join("%")}%`;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

function amountIn({ attemptCount }: Dialect, amount: Amount): string {
  switch (amount) {
    case "cost":
      return "cost_nanos";
    case "duration":
      return "duration_us";
    case "tokens":
      return "(prompt_tokens + completion_tokens)";
    case "attempts":
      return `(case when attempts is not null then ${attemptCount} when upstream_model is not null then 1 else 0 end)`;
  }
}

/** The filters by amounts and by error text as SQL conditions. They have no index: each row of a chunk is read. */
export function unindexedConditions(
  { amounts = {}, errorText }: RequestFilter,
  dialect: Dialect,
  bind: { number(value: number | bigint): string; text(value: string): string },
): string[] {
  const conditions = (Object.keys(amounts) as Amount[]).flatMap((amount) => {
    const { least, most } = amounts[amount]!;
    const column = amountIn(dialect, amount);
    const stored = (value: number | bigint): string => bind.number(amount === "duration" ? Math.round(Number(value) * 1000) : value);
    return [
      ...(least === undefined ? [] : [`${column} >= ${stored(least)}`]),
      ...(most === undefined ? [] : [`${column} <= ${stored(most)}`]),
    ];
  });
  if (errorText === undefined) return conditions;
  return [...conditions, dialect.detailsWith(errorText, (value) => bind.text(value))];
}

/** The amount by which requests are sorted. Requests without the amount get a value that sorts last. */
export function sortedAmount({ by, direction }: AmountOrder): string {
  return `coalesce(${amountIn(SQLITE, by)}, ${direction === "highest" ? -1 : Number.MAX_SAFE_INTEGER})`;
}
