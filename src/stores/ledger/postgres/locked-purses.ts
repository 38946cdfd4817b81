import { type Purse, purseKey } from "../../../money/purse.ts";
import type { PostgresConnection, PostgresPool, Rows } from "../../postgres/postgres-pool.ts";
import { endIn } from "../leases/late-adjustment.ts";
import type { ProcessChange } from "../leases/process-change.ts";
import type { CountedBreakdowns } from "../books/counted-breakdowns.ts";
import { chargedPurses } from "./charged-purses.ts";

/**
 * A process that has not called for this long is lost: its journal may have charges that no other process knows. Longer than a process may
 * admit requests without an answer.
 */
export const LOST_AFTER = "interval '30 seconds'";
/** A process that has not answered a recall for this long counts as away for this purse. Shorter than the wait of a recall. */
export const SILENT_AFTER = "interval '1900 milliseconds'";

/** A purse, as one process sees it. */
export interface PurseRow {
  readonly scope: Purse["scope"];
  readonly id: string;
  readonly credit_nanos: bigint;
  /** The leases of all processes. */
  readonly leased_nanos: bigint;
  readonly day: number;
  readonly day_nanos: bigint;
  readonly month: number;
  readonly month_nanos: bigint;
  readonly previous_day: number;
  readonly previous_day_nanos: bigint;
  readonly previous_month: number;
  readonly previous_month_nanos: bigint;
  readonly total_nanos: bigint;
  /** Whether a process got less than it asked for. */
  readonly is_short: boolean;
  /** The lease of the calling process. */
  readonly caller_lease_nanos: bigint;
  /** Whether another process with a lease is away. */
  readonly is_stranded: boolean;
}

const COLUMNS = `p.scope, p.id, p.credit_nanos, p.leased_nanos, p.day, p.day_nanos, p.month, p.month_nanos, p.previous_day,
  p.previous_day_nanos, p.previous_month, p.previous_month_nanos, p.total_nanos, p.is_short`;
/** The lease of a process changes only while its instance is locked, so this query needs no lock. */
const OWN =
  "coalesce((select nanos from leases l where l.scope = p.scope and l.id = p.id and l.instance_id = $1), 0) as caller_lease_nanos";
const IS_STRANDED = `exists (select from leases l join instances i on i.id = l.instance_id
  left join recalls r on r.instance_id = l.instance_id and r.scope = l.scope and r.id = l.id
  where l.scope = p.scope and l.id = p.id and l.instance_id <> $1
    and (i.seen_at < authority_now() - ${LOST_AFTER} or r.asked_at < authority_now() - ${SILENT_AFTER})) as is_stranded`;
const LISTED = "(p.scope, p.id) in (select * from unnest($2::text[], $3::text[]))";

/** Locks rows in the order of their keys, as in every transaction, so that no deadlock is possible. */
const LOCK = `select ${COLUMNS}, ${OWN}, false as is_stranded from purses p where ${LISTED} order by p.scope, p.id for update of p`;
const LOCK_FOR_LEASES = `select ${COLUMNS}, ${OWN}, ${IS_STRANDED} from purses p where ${LISTED} order by p.scope, p.id for update of p`;
const READ_LEASED = `select ${COLUMNS}, own.nanos as caller_lease_nanos, ${IS_STRANDED}
  from leases own join purses p on p.scope = own.scope and p.id = own.id where own.instance_id = $1`;

/**
 * Locks purses until the end of the transaction. Purses without a row are missing in the result. `areLeased`: whether the caller leases
 * from them.
 */
export function lockPurses(
  connection: PostgresConnection,
  instanceId: string,
  purses: readonly Purse[],
  areLeased: boolean,
): Promise<Rows<PurseRow>> {
  return connection.query<PurseRow>(areLeased ? LOCK_FOR_LEASES : LOCK, [instanceId, ...toColumns(purses)]);
}

/** The purses that a process has leases of. */
export function readLeased(on: Pick<PostgresPool, "query">, instanceId: string): Promise<Rows<PurseRow>> {
  return on.query<PurseRow>(READ_LEASED, [instanceId]);
}

/** Adds rows for purses without one, in a separate transaction: a transaction that has locked other rows must not wait for this. */
export async function addPurses(pool: PostgresPool, purses: readonly Purse[]): Promise<void> {
  const ordered = purses.toSorted((a, b) => (purseKey(a) < purseKey(b) ? -1 : 1));
  await pool.query(
    "insert into purses (scope, id) select * from unnest($1::text[], $2::text[]) on conflict do nothing",
    toColumns(ordered),
  );
}

/** The purses that changes of a process may alter, except the purses that a statement leaves out. */
export function pursesIn(changes: readonly ProcessChange[], counted: CountedBreakdowns): readonly Purse[] {
  return changes.flatMap((change) => pursesOfChange(change, counted));
}

/** A hold alters no purse, because it is within the lease of its process. */
function pursesOfChange(change: ProcessChange, counted: CountedBreakdowns): readonly Purse[] {
  if (change.kind === "lease") return [change.purse];
  if (change.kind === "statement") return (change.leases ?? []).map(({ purse }) => purse);
  const end = endIn(change);
  return end ? chargedPurses(end, counted) : [];
}

function toColumns(purses: readonly Purse[]): [scopes: string[], ids: string[]] {
  return [purses.map(({ scope }) => scope), purses.map(({ id }) => id)];
}
