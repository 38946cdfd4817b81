import { ERASED } from "../../../money/attribution.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import type { ErasedEndUser } from "../ledger-record-store.ts";
import { readRollupProgress } from "../usage/postgres-rollup-updater.ts";
import { renameSeries } from "../usage/postgres-rollups.ts";
import { ownerOf } from "../usage/series.ts";

/** Entries of one statement, which takes tens of milliseconds. */
const ENTRIES_AT_ONCE = 20_000;

const ATTRIBUTED = "from entries where id > $1 and id <= $2 and account_id = $3 and attribution is not null";

const FIND_CONVERSATIONS = `select distinct attribution::jsonb ->> 'conversation' as name ${ATTRIBUTED}
  and attribution::jsonb ->> 'user' = any($4::text[]) and attribution::jsonb ->> 'conversation' is not null`;

/** This is the only change that is ever made to an entry, and it leaves the amounts unchanged. */
const ERASE_ENTRIES = `update entries set attribution = (attribution::jsonb || jsonb_strip_nulls(jsonb_build_object(
    'user', case when attribution::jsonb ->> 'user' = any($4::text[]) then '${ERASED}' end,
    'conversation', case when attribution::jsonb ->> 'conversation' = any($5::text[]) then '${ERASED}' end)))::text
  where id > $1 and id <= $2 and account_id = $3 and attribution is not null
    and (attribution::jsonb ->> 'user' = any($4::text[]) or attribution::jsonb ->> 'conversation' = any($5::text[]))
  returning id`;

/**
 * Erases an end user. The rollups come first, together with the entries that are not in them yet, while no other process updates the
 * rollups. The other entries follow, in short statements: the next call completes an interrupted erasure.
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
  const { asOfId, lastId } = await readRollupProgress(connection, true);
  await renameSeries(connection, ownerOf("user", accountId), users);
  await renameSeries(connection, ownerOf("conversation", accountId), conversations);
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
