import { ERASED, OTHER_NAMES } from "../../../money/attribution.ts";
import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import type { AttributionOverflows } from "../ledger-record-store.ts";
import { ATTRIBUTED_GRANULARITIES, GRANULARITY_MS } from "../usage/granularity.ts";
import { MAX_TAG_NAMES } from "../usage/tag-names.ts";
import { ADD_UP, addTo, MEASURES_OF_ENTRY, SUM_COLUMNS } from "./sum-columns.ts";

const ENDED = "from entries where id > $1 and id <= $2 and kind in ('settle', 'release') and attribution is not null";

/** The first tags of an account have rollups, up to a limit: clients choose their names. */
const ADD_TAGS = `insert into attribution_tags (account_id, tag)
  select account_id, tag from (
    select account_id, tag, row_number() over (partition by account_id order by first_id) as place
    from (select account_id, jsonb_object_keys(attribution::jsonb -> 'tags') as tag, min(id) as first_id ${ENDED} group by 1, 2) as used
    where not exists (select from attribution_tags as known where known.account_id = used.account_id and known.tag = used.tag)) as new
  where place + (select count(*) from attribution_tags as known where known.account_id = new.account_id) <= ${MAX_TAG_NAMES}
  on conflict do nothing`;

/** The names of an entry, by dimension. */
const NAMES_OF_ENTRY = `select 'user' as dimension, entry.attribution ->> 'user' as name
    union all select 'conversation', entry.attribution ->> 'conversation'
    union all select 'tag:' || tag, entry.attribution -> 'tags' ->> tag from attribution_tags where attribution_tags.account_id = entry.account_id`;

/**
 * The first names of an account and day are admitted, up to a limit. Those that are known are in the rollup of the day; the others come in the
 * order of the entries.
 */
const ADD_TO_SUMS = `
  with ended as (select id, account_id, key_id, model, at_ms, attribution::jsonb as attribution, ${MEASURES_OF_ENTRY} ${ENDED}),
  named as (select entry.*, names.dimension, names.name, at_ms / ${GRANULARITY_MS.day} as day
    from ended as entry, lateral (${NAMES_OF_ENTRY}) as names where names.name is not null),
  used as (select dimension, account_id, day, name, min(id) as first_id from named group by 1, 2, 3, 4),
  days as (select distinct dimension, account_id, day from used),
  known as (select distinct days.dimension, days.account_id, days.day, sums.name from days join attribution_sums as sums
    on sums.dimension = days.dimension and sums.grain = 'day' and sums.slot = days.day and sums.account_id = days.account_id
    where sums.name <> '${OTHER_NAMES}'),
  counts as (select dimension, account_id, day, count(*) as count from known group by 1, 2, 3),
  new as (select used.*, row_number() over (partition by dimension, account_id, day order by first_id) as place
    from used where not exists (select from known where known.dimension = used.dimension and known.account_id = used.account_id
      and known.day = used.day and known.name = used.name)),
  refused as (select dimension, account_id, day, name, '${OTHER_NAMES}' as stored_name from new left join counts using (dimension, account_id, day)
    where place + coalesce(count, 0) > $3 and name <> '${ERASED}'),
  stored as (select named.*, coalesce(stored_name, name) as stored_name from named left join refused using (dimension, account_id, day, name)),
  quarters as (select dimension, account_id, stored_name, key_id, model, at_ms / ${GRANULARITY_MS.quarter} as quarter, ${ADD_UP}
    from stored group by 1, 2, 3, 4, 5, 6),
  added as (insert into attribution_sums (dimension, grain, slot, account_id, name, key_id, model, ${SUM_COLUMNS})
    select dimension, grain, quarter * ${GRANULARITY_MS.quarter} / size, account_id, stored_name, key_id, model, ${ADD_UP}
    from quarters, (values ${ATTRIBUTED_GRANULARITIES.map((grain) => `('${grain}', ${GRANULARITY_MS[grain]}::bigint)`).join(", ")}) as sizes(grain, size)
    group by 1, 2, 3, 4, 5, 6, 7
    on conflict (dimension, grain, slot, account_id, name, key_id, model) do update set ${addTo("attribution_sums")})
  select split_part(dimension, ':', 1) as kind, count(*) as requests from stored where stored_name = '${OTHER_NAMES}' group by 1`;

const COUNT_DROPPED_TAGS = `select count(*) as requests
  from (select account_id, jsonb_object_keys(attribution::jsonb -> 'tags') as tag ${ENDED}) as used
  where not exists (select from attribution_tags as known where known.account_id = used.account_id and known.tag = used.tag)`;

/** Adds the usage of entries to the rollups by end user, conversation and tag. Returns the number of requests beyond the limits. */
export async function addAttributedUsage(
  connection: PostgresConnection,
  asOfId: number,
  toId: number,
  namesPerDay: number,
): Promise<AttributionOverflows> {
  const [any] = await connection.query(`select 1 ${ENDED} limit 1`, [asOfId, toId]);
  if (!any) return { user: 0, conversation: 0, tag: 0 };
  await connection.query(ADD_TAGS, [asOfId, toId]);
  const counted = await connection.query<{ kind: string; requests: bigint }>(ADD_TO_SUMS, [asOfId, toId, namesPerDay]);
  const [dropped] = await connection.query<{ requests: bigint }>(COUNT_DROPPED_TAGS, [asOfId, toId]);
  const countOf = (kind: keyof AttributionOverflows): number => Number(counted.find((each) => each.kind === kind)?.requests ?? 0);
  return { user: countOf("user"), conversation: countOf("conversation"), tag: countOf("tag") + Number(dropped!.requests) };
}
