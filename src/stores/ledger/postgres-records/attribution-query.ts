import { NO_NAME, OTHER_NAMES, tagOf, type AttributionDimension } from "../../../money/attribution.ts";
import { isOfNone, type AttributedUsage, type UsageReportQuery } from "../ledger-record-store.ts";
import { GRANULARITY_MS } from "../usage/granularity.ts";
import type { Parameters } from "./parameters.ts";
import { bucketOf, conditionsOf, entriesIn, spansOf, type UsageSources } from "./usage-sources.ts";
import { ADD_UP, MEASURES_OF_ENTRY, NEGATED, SUM_COLUMNS } from "./sum-columns.ts";

/** Parts of a `with`: `named` has the usage with a name, and `used` what a report is made of. */
export interface NamedUsage {
  readonly tables: string;
  readonly used: string;
}

/** The columns of `used`, after `from_ms`, and the same with `none` in the place of the name. */
const COLUMNS = `account_id, key_id, model, upstream, attributed, ${SUM_COLUMNS}`;
const REST = `account_id, key_id, model, upstream, '${NO_NAME}', ${NEGATED}`;

/**
 * Usage by name. What has no name is the rest: all usage, less that with a name. `plain` selects all usage, under the name `none`.
 */
export function namedUsage(
  query: UsageReportQuery,
  attributed: AttributedUsage,
  sources: UsageSources,
  plain: () => string,
  parameters: Parameters,
): NamedUsage {
  const tables = namedTables(query, attributed, sources, parameters);
  const named = `select from_ms, ${COLUMNS} from named`;
  const { names } = attributed;
  if (names && !isOfNone(attributed)) return { tables, used: `${named} where attributed = any(${parameters.add(names)}::text[])` };
  const rest = `${plain()} union all select from_ms, ${REST} from named`;
  return { tables, used: names ? rest : `${rest} union all ${named}` };
}

function namedTables(query: UsageReportQuery, attributed: AttributedUsage, sources: UsageSources, parameters: Parameters): string {
  const { dimension, names } = attributed;
  const conditions = conditionsOf(query, parameters);
  const ofName = !names || isOfNone(attributed) ? [] : [`name = any(${parameters.add(names)}::text[])`];
  const its = `${parameters.add(dimension)}::text`;
  const inRollups = [`dimension = ${its}`, "grain = span.grain", "attribution_sums.slot = slots.slot", ...conditions, ...ofName];
  const day = `dimension = ${its} and grain = 'day' and slot = used.day and sums.account_id = used.account_id`;
  // A search of the index for each slot, which has the account and the name after the slot.
  return `
  from_rollups as (select span.from_ms, sums.*
    from ${spansOf(sources.namedIntervals, parameters)}, lateral generate_series(span.first_slot, span.end_slot - 1) as slots(slot),
    lateral (select account_id, key_id, model, name, ${SUM_COLUMNS} from attribution_sums where ${inRollups.join(" and ")} offset 0) as sums),
  ended as materialized (select id, ${bucketOf(query, parameters)} as from_ms, account_id, key_id, model,
      at_ms / ${GRANULARITY_MS.day} as day, ${nameOfEntry(dimension, sources, parameters)} as name, ${MEASURES_OF_ENTRY}
    from ${entriesIn(query, sources, parameters)} where ${["kind in ('settle', 'release')", "attribution is not null", ...conditions].join(" and ")}),
  full_days as (select account_id, day from (select distinct account_id, day from ended where name is not null) as used
    where (select count(distinct name) from attribution_sums as sums where ${day} and name <> '${OTHER_NAMES}') >= ${parameters.add(sources.namesPerDay)}),
  names as (select account_id, day, name, exists (select from attribution_sums as sums where ${day} and sums.name = used.name) as is_in_rollups
    from (select distinct account_id, day, name from ended where name is not null) as used),
  from_entries as (select from_ms, account_id, key_id, model, case when is_in_rollups or (id > ${parameters.add(sources.asOfId)} and
        (account_id, day) not in (select account_id, day from full_days)) then name else '${OTHER_NAMES}' end as name, ${SUM_COLUMNS}
    from ended join names using (account_id, day, name)),
  named as (select from_ms, ${groupsOf(query)}, ''::text as upstream, name as attributed, ${ADD_UP}
    from (select * from from_rollups union all select * from from_entries) as found group by 1, 2, 3, 4, 5, 6)`;
}

/** Columns that the report does not group by are empty: there are far fewer groups to add up then. */
function groupsOf({ by }: UsageReportQuery): string {
  const columns = { account_id: "account", key_id: "key", model: "model" } as const;
  return Object.entries(columns)
    .map(([column, dimension]) => (by.includes(dimension) ? column : `''::text as ${column}`))
    .join(", ");
}

/** Tags beyond the limit have no rollups. */
function nameOfEntry(dimension: AttributionDimension, { asOfId }: UsageSources, parameters: Parameters): string {
  const tag = tagOf(dimension);
  if (tag === undefined) return `attribution::jsonb ->> '${dimension}'`;
  const its = `${parameters.add(tag)}::text`;
  return `case when id > ${parameters.add(asOfId)}
      or exists (select from attribution_tags where attribution_tags.account_id = entries.account_id and tag = ${its})
    then attribution::jsonb -> 'tags' ->> ${its} end`;
}
