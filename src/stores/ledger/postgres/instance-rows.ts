import type { Nanos } from "../../../money/money.ts";
import type { Purse } from "../../../money/purse.ts";
import type { Durability } from "../../database.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { SERVER_RUN } from "../../postgres/server-run.ts";
import { AuthorityUnavailable } from "../leases/authority.ts";
import { FencedError, type Instance, type InstanceState } from "../leases/instance.ts";
import type { Lease } from "../leases/purse-state.ts";
import { LOST_AFTER } from "./locked-purses.ts";
import type { KnownJoins } from "./lost-joins.ts";
import { readPurseKey } from "./notices.ts";
import { LIMIT_IDLE_TIME } from "./transaction.ts";

type QueryRunner = Pick<PostgresPool, "query">;

/** A gateway process, as operators see it, with the credit that its loss strands. */
export interface InstanceReport {
  readonly id: string;
  readonly state: InstanceState;
  /** The number of its last change in the ledger. */
  readonly appliedSeq: number;
  /** The time of its last call. */
  readonly seenAtMs: number;
  readonly leases: readonly Lease[];
  readonly openHolds: number;
  readonly heldNanos: Nanos;
}

/** An instance, and the authority's time. */
export interface KnownInstance {
  readonly instance: Instance;
  readonly nowMs: number;
}

/** The result of connecting a process. `isForgotten`: the database no longer knew the process, although it had connected before. */
interface ConnectResult extends KnownInstance {
  readonly joins: KnownJoins;
  readonly isForgotten: boolean;
}

/** The result of a call of a process, with the instance as it was before the call. */
export interface HeartbeatResult extends KnownInstance {
  readonly joins: KnownJoins;
  /** Purses that other processes need. */
  readonly recalled: readonly Purse[];
  /** The run of the database server, if the process has not stated its idempotency claims in it. */
  readonly unstatedRun: string | null;
  /** The version of the list of counted breakdowns. */
  readonly breakdownsVersion: bigint;
}

interface InstanceRow {
  readonly epoch: bigint;
  readonly applied_seq: bigint;
  readonly state: Exclude<InstanceState, "lost">;
  readonly now_ms: bigint;
}

interface JoinedRow extends InstanceRow, KnownJoins {
  readonly was_known: boolean;
}

interface CalledRow extends InstanceRow, KnownJoins {
  readonly recalled: readonly string[];
  readonly unstated_run: string | null;
  readonly breakdowns_version: bigint;
}

const NOW_MS = "floor(extract(epoch from authority_now()) * 1000)::bigint as now_ms";

/** SQL: as a floating-point number, which can represent the microseconds. */
const LATEST_JOIN = "(select extract(epoch from max(joined_at))::float8 from instances) as latest_join";

/** A new process has nothing to state. A process that the database no longer knows has to state its claims. */
const JOIN = `insert into instances (id, epoch, applied_seq, state, joined_at, seen_at, durability, stated_run)
  values ($1, 1, 0, 'live', authority_now(), authority_now(), $2, case when $3::boolean then ${SERVER_RUN} else '' end)
  on conflict (id) do update set epoch = instances.epoch + 1, seen_at = excluded.seen_at where instances.state <> 'closed'
  returning epoch, applied_seq, state, ${NOW_MS}, ${LATEST_JOIN}, epoch > 1 as was_known`;

/**
 * Locks the instance until the end of the transaction. The number is written at once: if a change is refused, the whole transaction is
 * rolled back.
 */
const CALL = `update instances i set seen_at = authority_now(), applied_seq = greatest(was.applied_seq, $3::bigint)
  from (select id, epoch, applied_seq, state from instances where id = $1 for update) was
  where i.id = was.id and was.epoch = $2::bigint and was.state <> 'closed'
  returning was.epoch, was.applied_seq, was.state, ${NOW_MS}, ${LIMIT_IDLE_TIME}, ${LATEST_JOIN},
    case when i.stated_run <> ${SERVER_RUN} then ${SERVER_RUN} end as unstated_run,
    array(select scope || ':' || id from recalls where instance_id = $1) as recalled,
    (select breakdowns_version from ledger_head) as breakdowns_version`;

/**
 * Connects a process; `isNew`: for the first time. A known process keeps its durability. Throws `FencedError` if its journal was applied
 * and closed.
 */
export async function joinInstance(on: QueryRunner, instanceId: string, durability: Durability, isNew: boolean): Promise<ConnectResult> {
  const [row] = await on.query<JoinedRow>(JOIN, [instanceId, durability, isNew]);
  if (!row) throw new FencedError(`the process ${instanceId} has ended`);
  return { ...fromRow(instanceId, row), joins: row, isForgotten: !isNew && !row.was_known };
}

/** Notes a call of a process, whose changes up to this number are applied in this transaction. Undefined if the process may not call. */
export async function callInstance(
  on: QueryRunner,
  instanceId: string,
  epoch: number,
  lastSeq: number,
): Promise<HeartbeatResult | undefined> {
  const [row] = await on.query<CalledRow>(CALL, [instanceId, epoch, lastSeq]);
  if (!row) return undefined;
  const { recalled, unstated_run: unstatedRun, breakdowns_version: breakdownsVersion } = row;
  return { ...fromRow(instanceId, row), joins: row, recalled: recalled.map(readPurseKey), unstatedRun, breakdownsVersion };
}

/**
 * The reason why a process may not call: it has ended, or has connected again, or the database was restored to a state before it connected.
 */
export async function explainFence(on: QueryRunner, instanceId: string, epoch: number): Promise<Error> {
  const [row] = await on.query<InstanceRow>("select epoch, applied_seq, state from instances where id = $1", [instanceId]);
  if (!row || (row.state !== "closed" && Number(row.epoch) < epoch)) return new AuthorityUnavailable("the database was restored");
  return new FencedError(`the process ${instanceId} has ended, or has connected again`);
}

/** Locks an instance that will be ended. `isLost`: whether it has not called for a long time. */
export async function lockInstance(
  connection: PostgresConnection,
  instanceId: string,
): Promise<(KnownInstance & { readonly isLost: boolean }) | undefined> {
  const text = `select epoch, applied_seq, state, ${NOW_MS}, ${LIMIT_IDLE_TIME}, seen_at < authority_now() - ${LOST_AFTER} as is_lost
    from instances where id = $1 for update`;
  const [row] = await connection.query<InstanceRow & { readonly is_lost: boolean }>(text, [instanceId]);
  return row && { ...fromRow(instanceId, row), isLost: row.is_lost };
}

/** The processes, except this one, that have called recently. */
export async function otherLiveInstances(on: QueryRunner, instanceId: string): Promise<readonly string[]> {
  const text = `select id from instances where state = 'live' and seen_at >= authority_now() - ${LOST_AFTER} and id <> $1`;
  return (await on.query<{ id: string }>(text, [instanceId])).map(({ id }) => id);
}

/** The purses that a process has leases of. */
export async function leasedPurses(on: QueryRunner, instanceId: string): Promise<readonly Purse[]> {
  return on.query<Purse>("select scope, id from leases where instance_id = $1", [instanceId]);
}

/** The purses of end users and tags of these accounts and keys, if a process has leases of them. */
export async function leasedBreakdowns(on: QueryRunner, owners: readonly Purse[]): Promise<readonly Purse[]> {
  const text = `select distinct l.scope, l.id from leases l, unnest($1::text[]) as owner(prefix)
    where l.scope in ('user', 'tag') and starts_with(l.id, owner.prefix)`;
  return on.query<Purse>(text, [owners.map(({ scope, id }) => `${scope}:${id}:`)]);
}

/** All processes whose journal is not closed, or one process in any state. */
export async function reportInstances(on: QueryRunner, instanceId?: string): Promise<readonly InstanceReport[]> {
  interface Row {
    readonly id: string;
    readonly state: InstanceState;
    readonly applied_seq: bigint;
    readonly seen_at_ms: bigint;
    readonly leases: string;
    readonly open_holds: bigint;
    readonly held_nanos: bigint;
  }
  const text = `select i.id, case when i.state = 'live' and i.seen_at < authority_now() - ${LOST_AFTER} then 'lost' else i.state end as state,
      i.applied_seq, floor(extract(epoch from i.seen_at) * 1000)::bigint as seen_at_ms, h.open_holds, h.held_nanos,
      (select coalesce(json_agg(json_build_array(l.scope, l.id, l.nanos::text) order by l.scope, l.id), '[]')::text
        from leases l where l.instance_id = i.id) as leases
    from instances i cross join lateral (select count(*) as open_holds, coalesce(sum(amount_nanos), 0)::bigint as held_nanos
      from open_holds where instance_id = i.id) h
    where case when $1::text is null then i.state <> 'closed' else i.id = $1 end order by i.id`;
  const rows = await on.query<Row>(text, [instanceId ?? null]);
  return rows.map((row) => {
    const leases = JSON.parse(row.leases) as [scope: Purse["scope"], id: string, nanos: string][];
    return {
      id: row.id,
      state: row.state,
      appliedSeq: Number(row.applied_seq),
      seenAtMs: Number(row.seen_at_ms),
      leases: leases.map(([scope, id, nanos]) => ({ purse: { scope, id }, nanos: BigInt(nanos) })),
      openHolds: Number(row.open_holds),
      heldNanos: row.held_nanos,
    };
  });
}

function fromRow(id: string, { epoch, applied_seq: appliedSeq, state, now_ms: nowMs }: InstanceRow): KnownInstance {
  return { instance: { id, epoch: Number(epoch), appliedSeq: Number(appliedSeq), state }, nowMs: Number(nowMs) };
}
