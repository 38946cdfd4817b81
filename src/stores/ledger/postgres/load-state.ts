import { readAttribution } from "../../../money/attribution.ts";
import type { HoldEntry, ReleaseEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import { dayAt, monthAt, startOfPeriod, type Period } from "../../../money/period-sums.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import type { Charge, ReadCharges } from "../books/past-period-spending.ts";
import { repliesIn, type ProcessChange } from "../leases/process-change.ts";
import type { IdempotentReply, Progress } from "../ledger-store.ts";
import type { PurseRow } from "./locked-purses.ts";
import { readProgress } from "./write-set.ts";

/** The closing entry of a request, as a process reports it. */
type End = SettleEntry | ReleaseEntry;

/** The open holds that these entries end. */
export async function readHolds(connection: PostgresConnection, instanceId: string, ends: readonly End[]): Promise<readonly HoldEntry[]> {
  if (ends.length === 0) return [];
  const text = "select request_id, hold_id, amount_nanos from open_holds where request_id = any($1::text[]) and instance_id = $2";
  const rows = await connection.query<{ request_id: string; hold_id: bigint; amount_nanos: bigint }>(text, [
    ends.map(({ requestId }) => requestId),
    instanceId,
  ]);
  const byRequest = new Map(ends.map((end) => [end.requestId, end]));
  return rows.map(({ request_id: requestId, hold_id: holdId, amount_nanos: amountNanos }) => {
    const { accountId, atMs, actor, reason, keyId, model, priceVersion, attribution } = byRequest.get(requestId)!;
    const request = { requestId, keyId, model, priceVersion, attribution };
    return { kind: "hold", id: Number(holdId), accountId, atMs, actor, reason, ...request, amountNanos };
  });
}

/** All open holds of a process that will be ended, each with its last reported progress. */
export async function readAllHolds(
  connection: PostgresConnection,
  instanceId: string,
): Promise<{ holds: readonly HoldEntry[]; progress: ReadonlyMap<string, Progress> }> {
  interface Row {
    readonly id: bigint;
    readonly account_id: string;
    readonly at_ms: bigint;
    readonly actor: string;
    readonly reason: string;
    readonly request_id: string;
    readonly key_id: string;
    readonly model: string;
    readonly price_version: string;
    readonly attribution: string | null;
    readonly amount_nanos: bigint;
    readonly progress: string | null;
  }
  const text = `select e.id, e.account_id, e.at_ms, e.actor, e.reason, e.request_id, e.key_id, e.model, e.price_version, e.attribution,
    e.amount_nanos,
    h.progress from open_holds h join entries e on e.id = h.hold_id where h.instance_id = $1 order by e.id`;
  const rows = await connection.query<Row>(text, [instanceId]);
  const holds = rows.map((row): HoldEntry => {
    return {
      kind: "hold",
      id: Number(row.id),
      accountId: row.account_id,
      atMs: Number(row.at_ms),
      actor: row.actor,
      reason: row.reason,
      requestId: row.request_id,
      keyId: row.key_id,
      model: row.model,
      priceVersion: row.price_version,
      attribution: readAttribution(row.attribution),
      amountNanos: row.amount_nanos,
    };
  });
  return { holds, progress: new Map(rows.flatMap((row) => (row.progress === null ? [] : [[row.request_id, readProgress(row.progress)]]))) };
}

/** The requests, of these, that are in the ledger and whose hold is closed. */
export async function readEnded(pool: PostgresPool, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
  const text = "select request_id from entries where kind in ('settle', 'release') and request_id = any($1::text[])";
  return new Set((await pool.query<{ request_id: string }>(text, [requestIds])).map(({ request_id: requestId }) => requestId));
}

/** The charges for requests, including late charges and corrections. */
export async function readLateCharges(connection: PostgresConnection, ends: readonly End[]): Promise<ReadonlyMap<string, Nanos>> {
  const requestIds = ends.map(({ requestId }) => requestId);
  const text = `select request_id, sum(nanos)::bigint as nanos from (
      select request_id, amount_nanos as nanos from entries where kind = 'settle' and request_id = any($1::text[])
      union all select substr(request_id, 6), amount_nanos from entries where kind = 'settle' and request_id = any($3::text[])
      union all select substr(reference, 6), -amount_nanos from entries
        where account_id = any($2::text[]) and reference = any($3::text[])) charges group by 1`;
  const rows = await connection.query<{ request_id: string; nanos: bigint }>(text, [
    requestIds,
    [...new Set(ends.map(({ accountId }) => accountId))],
    requestIds.map((requestId) => `late:${requestId}`),
  ]);
  return new Map(rows.map(({ request_id: requestId, nanos }) => [requestId, nanos]));
}

/**
 * The requests of a written-off process that other processes have served again, or are serving, under the same idempotency key: they are
 * charged by those processes, which also store the reply.
 */
export async function readServedAgain(connection: PostgresConnection, changes: readonly ProcessChange[]): Promise<ReadonlySet<string>> {
  const replies = changes.flatMap((change) => repliesIn(change, true));
  if (replies.length === 0) return new Set();
  const text = `select scope, request_id from answers where scope = any($1::text[])
    union all select scope, request_id from claims where scope = any($1::text[])`;
  const rows = await connection.query<{ scope: string; request_id: string }>(text, [replies.map(({ scope }) => scope)]);
  const isElsewhere = ({ scope, requestId }: IdempotentReply): boolean =>
    rows.some((row) => row.scope === scope && row.request_id !== requestId);
  return new Set(replies.filter(isElsewhere).map(({ requestId }) => requestId));
}

/**
 * The charges of the current day and month, for purses that only have sums of later ones, because the database's clock was set back. A full
 * scan of the entries, because their times have no index.
 */
export async function readPastCharges(connection: PostgresConnection, rows: readonly PurseRow[], nowMs: number): Promise<ReadCharges> {
  const [day, month] = [dayAt(nowMs), monthAt(nowMs)];
  const known = new Map<string, readonly Charge[]>();
  const read = async (period: Period, number: number): Promise<void> => {
    const [fromMs, toMs] = [startOfPeriod(period, number), startOfPeriod(period, number + 1)];
    known.set(`${fromMs} ${toMs}`, await readCharges(connection, fromMs, toMs));
  };
  if (rows.some((row) => day < row.previous_day)) await read("day", day);
  if (rows.some((row) => month < row.previous_month)) await read("month", month);
  return (fromMs, toMs) => known.get(`${fromMs} ${toMs}`) ?? [];
}

async function readCharges(connection: PostgresConnection, fromMs: number, toMs: number): Promise<readonly Charge[]> {
  const text = `select account_id, key_id, sum(amount_nanos)::bigint as amount_nanos from entries
    where kind = 'settle' and at_ms >= $1::bigint and at_ms < $2::bigint group by 1, 2`;
  const rows = await connection.query<{ account_id: string; key_id: string; amount_nanos: bigint }>(text, [fromMs, toMs]);
  return rows.map(({ account_id: accountId, key_id: keyId, amount_nanos: amountNanos }) => ({ accountId, keyId, amountNanos }));
}
