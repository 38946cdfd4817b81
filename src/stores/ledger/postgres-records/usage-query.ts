import type { LargestGroups, RankedMeasure, UsageDimension, UsageReportQuery } from "../ledger-record-store.ts";
import type { Parameters } from "./parameters.ts";
import { NO_NAME } from "../../../money/attribution.ts";
import { ADD_UP, MEASURES_OF_ENTRY, SIGNED_SUMS, SUM_COLUMNS } from "./sum-columns.ts";
import { bucketOf, conditionsOf, entriesIn, spansOf, type UsageSources } from "./usage-sources.ts";

const COLUMNS = {
  model: "model",
  key: "key_id",
  account: "account_id",
  upstream: "upstream",
  attributed: "attributed",
} as const satisfies Record<UsageDimension, string>;

const MEASURES = {
  cost: "cost_nanos",
  requests: "requests + failed",
  tokens: "prompt_tokens + completion_tokens",
  failed: "failed",
} as const satisfies Record<RankedMeasure, string>;

/** The statement for a report: its rows in order, and its total, whose `place` is null. All usage in it has the name `none`. */
export function usageQuery(query: UsageReportQuery, sources: UsageSources, parameters: Parameters): string {
  const { by, limit, largest } = query;
  const names = by.map((_, at) => `name_${at}`);
  if (largest) return largestQuery(query, largest, names, sources, parameters);
  const order = ["from_ms", ...(query.isCostliestFirst ? ["cost_nanos desc", "requests + failed desc"] : []), ...names.map(inOrder)];
  return `
  with ${usedBy(query, sources, parameters)}, ${groupedBy(by, names)},
  placed as (select row_number() over (order by ${order.join(", ")}) as place, from_ms, array[${names.join(", ")}]::text[] as names,
    ${SUM_COLUMNS} from grouped where ${afterPosition(query, names, parameters)} order by place
    ${limit === undefined ? "" : `limit ${parameters.add(limit)}`})
  select * from placed
  union all select null, null, null, ${ADD_UP} from grouped
  order by place nulls last`;
}

/** The statement for a report of the largest groups. In each bucket the other groups form one row without names. */
function largestQuery(
  query: UsageReportQuery,
  { count, by }: LargestGroups,
  names: readonly string[],
  sources: UsageSources,
  parameters: Parameters,
): string {
  const order = [MEASURES[by], MEASURES.cost, MEASURES.requests].map((measure) => `sum(${measure}) desc`);
  return `
  with ${usedBy(query, sources, parameters)}, ${groupedBy(query.by, names)},
  ranked as (select ${names.join(", ")}, row_number() over (order by ${[...order, ...names.map(inOrder)].join(", ")}) as rank
    from grouped group by ${names.join(", ")}),
  folded as (select from_ms, rank, case when rank is null then array[]::text[] else array[${names.join(", ")}]::text[] end as names,
    ${SUM_COLUMNS} from grouped left join (select * from ranked where rank <= ${parameters.add(count)}) as largest using (${names.join(", ")})),
  summed as (select from_ms, names, ${ADD_UP} from folded group by from_ms, names)
  select row_number() over (order by from_ms, cardinality(names) = 0, names collate "C") as place, * from summed
  union all select null, null, null, ${ADD_UP} from grouped
  order by place nulls last`;
}

/** SQL for `grouped`: the sums of each bucket by name. */
function groupedBy(by: readonly UsageDimension[], names: readonly string[]): string {
  return `grouped as (select from_ms, ${by.map((dimension, at) => `${COLUMNS[dimension]} as name_${at}, `).join("")} ${ADD_UP} from used
    group by ${["from_ms", ...names].join(", ")} having sum(requests + failed) > 0)`;
}

/** The sums of all accounts together have models and upstreams, but neither keys nor accounts. */
function ownersOf({ accountId, keyId, by }: UsageReportQuery): string {
  const isOfSome = accountId !== undefined || keyId !== undefined || by.includes("key") || by.includes("account");
  return isOfSome ? "account_id <> ''" : "account_id = ''";
}

/** SQL for `used`: the usage that the report adds up. */
function usedBy(query: UsageReportQuery, sources: UsageSources, parameters: Parameters): string {
  const conditions = conditionsOf(query, parameters);
  return `used as (${fromRollups(sources, [...conditions, ownersOf(query)], parameters)}
    union all ${fromEntries(query, sources, conditions, parameters)})`;
}

/**
 * `offset 0` forces an index scan for each interval. Otherwise the planner might read the whole table and compare each row with each
 * interval.
 */
function fromRollups(sources: UsageSources, conditions: readonly string[], parameters: Parameters): string {
  return `select span.from_ms, sums.*
    from ${spansOf(sources.intervals, parameters)},
    lateral (select account_id, key_id, model, upstream, '${NO_NAME}' as attributed, ${SIGNED_SUMS} from usage_sums
      where usage_sums.grain = span.grain and slot >= span.first_slot and slot < span.end_slot and ${conditions.join(" and ")} offset 0) as sums`;
}

/** Entries in partial quarter hours, and entries that are not in the rollups yet. */
function fromEntries(query: UsageReportQuery, sources: UsageSources, conditions: readonly string[], parameters: Parameters): string {
  return `select ${bucketOf(query, parameters)}, account_id, key_id, model, coalesce(upstream, ''), '${NO_NAME}', ${MEASURES_OF_ENTRY}
    from ${entriesIn(query, sources, parameters)}
    where ${["kind in ('settle', 'release')", ...conditions].join(" and ")}`;
}

function afterPosition({ after }: UsageReportQuery, names: readonly string[], parameters: Parameters): string {
  if (!after) return "true";
  const position = [after.fromMs, ...after.names].map((value) => parameters.add(value));
  return `(${["from_ms", ...names.map(inOrder)].join(", ")}) > (${position.join(", ")})`;
}

/** Orders names by their characters, whatever the collation of the database is. */
function inOrder(name: string): string {
  return `${name} collate "C"`;
}
