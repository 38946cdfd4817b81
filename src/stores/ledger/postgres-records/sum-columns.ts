/** The sums of the measures of usage, and their columns. */
const SUMS = [
  "requests",
  "failed",
  "prompt_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "cost_nanos",
  "uncharged_nanos",
  "costed_requests",
  "upstream_cost_nanos",
  "costed_nanos",
] as const;
export type SumColumn = (typeof SUMS)[number];

/** The measures of a closing entry, in the order of `SUMS`. */
export const MEASURES_OF_ENTRY = `(kind = 'settle')::integer as requests, (kind = 'release')::integer as failed,
  coalesce(prompt_tokens, 0) as prompt_tokens, coalesce(cached_tokens, 0) as cached_tokens,
  coalesce(cache_write_tokens, 0) as cache_write_tokens, coalesce(completion_tokens, 0) as completion_tokens,
  coalesce(reasoning_tokens, 0) as reasoning_tokens, amount_nanos as cost_nanos, coalesce(uncharged_nanos, 0) as uncharged_nanos,
  (upstream_cost_nanos is not null)::integer as costed_requests, coalesce(upstream_cost_nanos, 0) as upstream_cost_nanos,
  case when upstream_cost_nanos is null then 0 else amount_nanos end as costed_nanos`;
export const SUM_COLUMNS = SUMS.join(", ");
/** The sums, negated for a subtracted interval. */
export const SIGNED_SUMS = SUMS.map((column) => `case when span.is_subtracted then -${column} else ${column} end as ${column}`).join(", ");
export const ADD_UP = SUMS.map((column) => `sum(${column}) as ${column}`).join(", ");

/** The update of an existing row of sums. */
export function addTo(table: string): string {
  return SUMS.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(", ");
}
