import type { UsageDimension, UsageReportQuery } from "../ledger-record-store.ts";
import type { Parameters } from "./parameters.ts";
import type { BucketInterval, QuarterPart } from "./usage-parts.ts";
import { ADD_UP, MEASURES_OF_ENTRY, SUM_COLUMNS } from "./usage-rollups.ts";

const COLUMNS = { model: "model", key: "key_id", account: "account_id", upstream: "upstream" } as const satisfies Record<
  UsageDimension,
  string
>;

/** Where the usage of a report is found. */
export interface UsageSources {
  readonly intervals: readonly BucketInterval[];
  /** Read from the entries, whose ids follow from their times. */
  readonly parts: readonly QuarterPart[];
  /** The last entry in the rollups, and the last of all: those between are read from the entries too. */
  readonly asOfId: number;
  readonly lastId: number;
}

/** The statement for a report: its rows in order, and its total with a `place` of null. */
export function usageQuery(query: UsageReportQuery, sources: UsageSources, parameters: Parameters): string {
  const { by, limit } = query;
  const names = by.map((_, at) => `name_${at}`);
  const order = ["from_ms", ...(query.isCostliestFirst ? ["cost_nanos desc", "requests + failed desc"] : []), ...names.map(inOrder)];
  const conditions = conditionsOf(query, parameters);
  return `
  with used as (
    ${fromRollups(sources, [...conditions, ownersOf(query)], parameters)}
    union all
    ${fromEntries(query, sources, conditions, parameters)}),
  grouped as (select from_ms, ${by.map((dimension, at) => `${COLUMNS[dimension]} as name_${at}, `).join("")} ${ADD_UP} from used
    group by ${["from_ms", ...names].join(", ")}),
  placed as (select row_number() over (order by ${order.join(", ")}) as place, from_ms, array[${names.join(", ")}]::text[] as names,
    ${SUM_COLUMNS} from grouped where ${afterPosition(query, names, parameters)} order by place
    ${limit === undefined ? "" : `limit ${parameters.add(limit)}`})
  select * from placed
  union all select null, null, null, ${ADD_UP} from grouped
  order by place nulls last`;
}

/** The sums of everybody have models and upstreams, but neither keys nor accounts. */
function ownersOf({ accountId, keyId, by }: UsageReportQuery): string {
  const isOfSome = accountId !== undefined || keyId !== undefined || by.includes("key") || by.includes("account");
  return isOfSome ? "account_id <> ''" : "account_id = ''";
}

function conditionsOf({ accountId, keyId, model }: UsageReportQuery, parameters: Parameters): string[] {
  const wanted = Object.entries({ account_id: accountId, key_id: keyId, model }).filter(([, value]) => value !== undefined);
  return wanted.map(([column, value]) => `${column} = ${parameters.add(value)}`);
}

/** `offset 0`: an index scan for each interval, where the planner might read all of the table and compare each row with each interval. */
function fromRollups({ intervals }: UsageSources, conditions: readonly string[], parameters: Parameters): string {
  const fields = [
    `${parameters.add(intervals.map(({ bucketMs }) => bucketMs))}::bigint[]`,
    `${parameters.add(intervals.map(({ granularity }) => granularity))}::text[]`,
    `${parameters.add(intervals.map(({ firstSlot }) => firstSlot))}::bigint[]`,
    `${parameters.add(intervals.map(({ endSlot }) => endSlot))}::bigint[]`,
  ];
  return `select span.from_ms, sums.*
    from unnest(${fields.join(", ")}) as span(from_ms, grain, first_slot, end_slot),
    lateral (select account_id, key_id, model, upstream, ${SUM_COLUMNS} from usage_sums
      where usage_sums.grain = span.grain and slot >= span.first_slot and slot < span.end_slot and ${conditions.join(" and ")} offset 0) as sums`;
}

/** Entries of parts of quarter hours, and those that are not in the rollups yet. */
function fromEntries(
  { bounds }: UsageReportQuery,
  { parts, asOfId, lastId }: UsageSources,
  conditions: readonly string[],
  parameters: Parameters,
): string {
  const starts = parameters.add(bounds.slice(0, -1));
  const from = parameters.add(parts.map(({ fromMs }) => fromMs));
  const to = parameters.add(parts.map(({ toMs }) => toMs));
  const unrolled = [asOfId + 1, lastId, bounds[0], bounds.at(-1)].map((value) => `${parameters.add(value)}::bigint`);
  return `select (${starts}::bigint[])[width_bucket(at_ms, ${starts}::bigint[])], account_id, key_id, model, coalesce(upstream, ''),
      ${MEASURES_OF_ENTRY}
    from (select entry_blocks.first_id, entry_blocks.last_id, part.from_ms, part.to_ms
        from unnest(${from}::bigint[], ${to}::bigint[]) as part(from_ms, to_ms)
        join entry_blocks on entry_blocks.last_ms >= part.from_ms and entry_blocks.first_ms < part.to_ms
      union all select ${unrolled.join(", ")}) as span
    join entries on entries.id between span.first_id and span.last_id and at_ms >= span.from_ms and at_ms < span.to_ms
    where ${["kind in ('settle', 'release')", ...conditions].join(" and ")}`;
}

function afterPosition({ after }: UsageReportQuery, names: readonly string[], parameters: Parameters): string {
  if (!after) return "true";
  const position = [after.fromMs, ...after.names].map((value) => parameters.add(value));
  return `(${["from_ms", ...names.map(inOrder)].join(", ")}) > (${position.join(", ")})`;
}

/** Names are ordered by their characters, whatever the collation of the database is. */
function inOrder(name: string): string {
  return `${name} collate "C"`;
}
