import { ERASED } from "../../../money/attribution.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import type { ErasedEndUser } from "../ledger-record-store.ts";
import { GRANULARITY_MS } from "../usage/granularity.ts";
import { refuseFarBehind } from "../usage/refuse-far-behind.ts";
import { ADD_UP, addTo, SUM_COLUMNS } from "./sum-columns.ts";

/** Entries of one statement: some tens of milliseconds. */
const ENTRIES_AT_ONCE = 20_000;
/** Entries that are not in the rollups, which are erased while no rollup is updated. */
const MAX_UNROLLED = 200_000;

const ATTRIBUTED = "from entries where id > $1 and id <= $2 and account_id = $3 and attribution is not null";

const FIND_CONVERSATIONS = `select distinct attribution::jsonb ->> 'conversation' as name ${ATTRIBUTED}
  and attribution::jsonb ->> 'user' = any($4::text[]) and attribution::jsonb ->> 'conversation' is not null`;

/** Entries are never changed otherwise: this is the one exception, and it leaves their amounts. */
const ERASE_ENTRIES = `update entries set attribution = (attribution::jsonb || jsonb_strip_nulls(jsonb_build_object(
    'user', case when attribution::jsonb ->> 'user' = any($4::text[]) then '${ERASED}' end,
    'conversation', case when attribution::jsonb ->> 'conversation' = any($5::text[]) then '${ERASED}' end)))::text
  where id > $1 and id <= $2 and account_id = $3 and attribution is not null
    and (attribution::jsonb ->> 'user' = any($4::text[]) or attribution::jsonb ->> 'conversation' = any($5::text[]))
  returning id`;

const perDay = (granularity: "quarter" | "hour"): number => GRANULARITY_MS.day / GRANULARITY_MS[granularity];
const daysOf = (granularity: "five_days" | "month"): number => GRANULARITY_MS[granularity] / GRANULARITY_MS.day;

/** Adds the sums of names in the slots of a day to those of `erased`. */
const RENAME_DAY = `
  with slots as (select 'quarter' as grain, generate_series($1::bigint * ${perDay("quarter")}, ($1::bigint + 1) * ${perDay("quarter")} - 1) as slot
    union all select 'hour', generate_series($1::bigint * ${perDay("hour")}, ($1::bigint + 1) * ${perDay("hour")} - 1)
    union all select 'day', $1::bigint
    union all select 'five_days', $1::bigint / ${daysOf("five_days")}
    union all select 'month', $1::bigint / ${daysOf("month")}),
  gone as (delete from attribution_sums as sums using slots where sums.dimension = $2 and sums.grain = slots.grain and sums.slot = slots.slot
    and sums.account_id = $3 and sums.name = any($4::text[]) returning sums.*)
  insert into attribution_sums (dimension, grain, slot, account_id, name, key_id, model, ${SUM_COLUMNS})
    select dimension, grain, slot, account_id, '${ERASED}', key_id, model, ${ADD_UP} from gone group by 1, 2, 3, 4, 5, 6, 7
  on conflict (dimension, grain, slot, account_id, name, key_id, model) do update set ${addTo("attribution_sums")}`;

/**
 * Erases an end user. The rollups are first, together with the entries that are not in them yet, while nobody else updates the rollups. The other
 * entries follow, in short statements: an erasure that is interrupted is completed by the next call.
 */
export async function eraseEndUser(pool: PostgresPool, accountId: string, users: readonly string[]): Promise<ErasedEndUser> {
  const conversations = new Set<string>();
  for (const [afterId, toId] of rangesTo(await readLastId(pool))) {
    const found = await pool.query<{ name: string }>(FIND_CONVERSATIONS, [afterId, toId, accountId, users]);
    for (const { name } of found) conversations.add(name);
  }
  const names = [users, [...conversations]] as const;
  let { asOfId, entries } = await pool.transaction((connection) => eraseFromRollups(connection, accountId, ...names));
  for (const [afterId, toId] of rangesTo(asOfId)) {
    entries += (await pool.query(ERASE_ENTRIES, [afterId, toId, accountId, ...names])).length;
  }
  return { entries, conversations: names[1] };
}

async function eraseFromRollups(
  connection: PostgresConnection,
  accountId: string,
  users: readonly string[],
  conversations: readonly string[],
): Promise<{ asOfId: number; entries: number }> {
  const [reach] = await connection.query<{ as_of_id: bigint; last_id: bigint }>(
    "select as_of_id, last_id from usage_rolled, ledger_head for update of usage_rolled",
  );
  const [asOfId, lastId] = [Number(reach!.as_of_id), Number(reach!.last_id)];
  refuseFarBehind(asOfId, lastId, MAX_UNROLLED);
  for (const [dimension, names] of [
    ["user", users],
    ["conversation", conversations],
  ] as const) {
    if (names.length === 0) continue;
    const [days] = await connection.query<{ first: bigint | null; last: bigint | null }>(
      "select min(slot) as first, max(slot) as last from attribution_sums where dimension = $1 and grain = 'day'",
      [dimension],
    );
    for (let day = Number(days!.first ?? 0); day <= Number(days!.last ?? -1); day++) {
      await connection.query(RENAME_DAY, [day, dimension, accountId, names]);
    }
  }
  let entries = 0;
  for (let afterId = asOfId; afterId < lastId; afterId += ENTRIES_AT_ONCE) {
    const toId = Math.min(afterId + ENTRIES_AT_ONCE, lastId);
    entries += (await connection.query(ERASE_ENTRIES, [afterId, toId, accountId, users, conversations])).length;
  }
  return { asOfId, entries };
}

async function readLastId(pool: PostgresPool): Promise<number> {
  const [head] = await pool.query<{ last_id: bigint }>("select last_id from ledger_head");
  return Number(head!.last_id);
}

function* rangesTo(lastId: number): Generator<[afterId: number, toId: number]> {
  for (let afterId = 0; afterId < lastId; afterId += ENTRIES_AT_ONCE) yield [afterId, Math.min(afterId + ENTRIES_AT_ONCE, lastId)];
}
