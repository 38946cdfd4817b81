import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import type { LimitStatement, TakenMessage, WindowAmounts } from "../limit-messages.ts";
import { LONGEST_WINDOW_MS } from "../../../money/limits.ts";
import { NO_LEASE } from "./apply-turn.ts";
import { LOST_AFTER_MS, REMOVED_AFTER_MS, ScopeRows } from "./scope-rows.ts";

export type LimitPool = Pick<PostgresPool, "query" | "transaction" | "listen">;

/** A process that has joined. */
interface Membership {
  /** The nonce of the counters, which changes after a crash of the server, because that empties them. */
  readonly nonce: string;
}

interface JoinRequest {
  readonly processId: string;
  readonly statement: LimitStatement;
  /** The nonce of the counters that the process has last joined. */
  readonly knownNonce: string | undefined;
  /** The highest lease that the process may have. */
  readonly lastLease: number;
}

/**
 * Joins the processes that share rate limits, and counts the statement of the process: its slices, which it gives up. If the counters were
 * emptied, this also includes all requests that were counted there before.
 */
export function join(pool: LimitPool, { processId, statement, knownNonce, lastLease }: JoinRequest): Promise<Membership> {
  return pool.transaction(async (connection) => {
    const { nonce, isFirst } = await lockHead(connection);
    const { slices, counted } = statement;
    const isNew = nonce !== knownNonce;
    const handedOver = isFirst ? await readHandovers(connection) : [];
    const stated = [...slices.map(({ taken }) => taken), ...(isNew ? counted : [])];
    const rows = await ScopeRows.lock(connection, [...stated, ...handedOver.map(({ taken }) => taken)]);
    for (const taken of isNew ? stated : []) rows.change(taken).restore(processId, taken, rows.nowMs);
    for (const { processId: ended, taken } of handedOver) rows.change(taken).restore(ended, taken, rows.nowMs);
    for (const { lease, taken } of isNew ? [] : slices) rows.change(taken).takeBack(processId, lease, taken, rows.nowMs);
    await Promise.all([
      rows.save(connection),
      connection.query(
        `insert into limit_processes (id, nonce, seen_at, void_lease) values ($1, $2, authority_now(), $3)
          on conflict (id) do update set nonce = excluded.nonce, seen_at = excluded.seen_at, void_lease = excluded.void_lease`,
        [processId, nonce, lastLease],
      ),
      connection.query("delete from limit_recalls where process_id = $1", [processId]),
    ]);
    return { nonce };
  });
}

/** `isFirst`: whether no process has joined since the counters were emptied. */
async function lockHead(connection: PostgresConnection): Promise<{ nonce: string; isFirst: boolean }> {
  const nonce = crypto.randomUUID();
  const [created, head] = await Promise.all([
    connection.query(
      `insert into limit_head (single, nonce, ready_at, seen_before)
        select 1, $1, authority_now() + $2 * interval '1 ms', max(seen_at) from limit_processes on conflict do nothing`,
      [nonce, LOST_AFTER_MS],
    ),
    connection.query<{ nonce: string }>("select nonce from limit_head for update"),
  ]);
  return { nonce: head[0]!.nonce, isFirst: created.count > 0 };
}

/** The counts that processes have handed over within the longest window, with their current ages. */
async function readHandovers(connection: PostgresConnection): Promise<{ processId: string; taken: TakenMessage }[]> {
  const rows = await connection.query<{ process_id: string; counted: string; age_ms: number }>(
    `select process_id, counted, ceil(greatest(0, extract(epoch from authority_now() - left_at) * 1000))::float8 as age_ms from limit_handovers
      where left_at > authority_now() - $1 * interval '1 ms'`,
    [LONGEST_WINDOW_MS],
  );
  return rows.flatMap(({ process_id: processId, counted, age_ms: ageMs }) =>
    (JSON.parse(counted) as TakenMessage[]).map((taken) => ({ processId, taken: withAddedAge(taken, ageMs) })),
  );
}

function withAddedAge({ ended, open, ...scope }: TakenMessage, byMs: number): TakenMessage {
  const older = (amounts: WindowAmounts): WindowAmounts => amounts && amounts.map(([ageMs, amount]) => [ageMs + byMs, amount]);
  return { ...scope, ended: ended.map(older), open: open.map((request) => ({ ...request, ageMs: request.ageMs + byMs })) };
}

/**
 * Whether every process that was joined when the counters were emptied has made its statement. The time of the emptying is approximated by
 * the latest heartbeat of any process. A process that does not make its statement in time is lost, together with the requests that it has
 * admitted.
 */
export async function isReady(pool: LimitPool, nonce: string): Promise<boolean> {
  const [state] = await pool.query<{ is_ready: boolean }>(
    `select ready_at < authority_now() or not exists (select 1 from limit_processes
        where nonce <> $1 and seen_at > seen_before - $2 * interval '1 ms') as is_ready from limit_head where nonce = $1`,
    [nonce, LOST_AFTER_MS],
  );
  if (!state?.is_ready) return false;
  await pool.query("delete from limit_processes where nonce <> $1", [nonce]);
  return true;
}

/** Whether the process is still joined. A process that was not seen for too long is lost: its slices count as used. */
export async function heartbeat(pool: LimitPool, processId: string, nonce: string): Promise<boolean> {
  const rows = await pool.query(
    `with answered as (delete from limit_recalls where process_id = $1 and lease = $4)
      update limit_processes set seen_at = authority_now()
      where id = $1 and seen_at > authority_now() - $3 * interval '1 ms' and exists (select 1 from limit_head where nonce = $2)
      returning id`,
    [processId, nonce, LOST_AFTER_MS, NO_LEASE],
  );
  return rows.length > 0;
}

/** The slices of the process that other processes need. */
export async function readRecalls(pool: LimitPool, processId: string): Promise<number[]> {
  const rows = await pool.query<{ lease: bigint }>("select lease from limit_recalls where process_id = $1", [processId]);
  return rows.map(({ lease }) => Number(lease));
}

/**
 * Leaves, after all slices were returned. The requests that the process has counted are in the counters. They are handed over as well,
 * because a crash of the server empties the counters, and no other process can state them.
 */
export async function leave(pool: LimitPool, processId: string, counted: readonly TakenMessage[]): Promise<void> {
  await pool.transaction(async (connection) => {
    const handingOver = connection.query(
      `insert into limit_handovers (process_id, left_at, counted) select $1, authority_now(), $2::text where $2::text <> '[]'
        on conflict (process_id) do update set left_at = excluded.left_at, counted = excluded.counted`,
      [processId, JSON.stringify(counted)],
    );
    await Promise.all([handingOver, connection.query("delete from limit_processes where id = $1", [processId])]);
  });
}

/**
 * Marks an ended process that has not left as lost at once: after a crash of the server the others do not wait for it. Its slices count as
 * used from now on.
 */
export async function endProcess(pool: LimitPool, processId: string): Promise<void> {
  await pool.query("update limit_processes set seen_at = least(seen_at, authority_now() - $2 * interval '1 ms') where id = $1", [
    processId,
    LOST_AFTER_MS,
  ]);
}

/** Removes counters in which nothing counts any more, and processes that were lost long ago. */
export async function prune(pool: LimitPool): Promise<void> {
  await pool.query("delete from limit_scopes where not is_busy and idle_at < authority_now() - $1 * interval '1 ms'", [REMOVED_AFTER_MS]);
  await pool.query("delete from limit_processes where seen_at < authority_now() - $1 * interval '1 ms'", [REMOVED_AFTER_MS]);
  await pool.query("delete from limit_handovers where left_at < authority_now() - $1 * interval '1 ms'", [LONGEST_WINDOW_MS]);
}
