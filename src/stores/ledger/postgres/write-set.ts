import type { Entry } from "../../../money/ledger-entry.ts";
import { type Purse, purseKey, type PurseKey } from "../../../money/purse.ts";
import { pursesOf } from "../leases/changed-purses.ts";
import { endIn, requestIdOf } from "../leases/late-adjustment.ts";
import type { ProcessChange } from "../leases/process-change.ts";
import type { IdempotentReply, Progress } from "../ledger-store.ts";
import { fromProgressFields, toProgressFields, type ProgressFields } from "../progress-fields.ts";
import { toJson } from "./json-text.ts";
import type { PurseRow } from "./locked-purses.ts";
import { NOTIFY_FREED } from "./notices.ts";
import type { PreparedTransaction } from "./transaction.ts";
import { type WorkingSet, BEFORE_FIRST_ID } from "./working-set.ts";
import { SENT_COLUMNS, SENT_NAMES, toSentRow } from "../records/entry-columns.ts";

type Statement = PreparedTransaction<unknown>["statements"][number];

/** The result of applying changes to a working set. */
interface Outcome {
  readonly changes: readonly ProcessChange[];
  readonly entries: readonly Entry[];
  readonly replies: readonly IdempotentReply[];
  /** The purses from which the process has returned a part of its lease. */
  readonly returned: readonly Purse[];
  /** The requests whose holds were open before. */
  readonly openBefore: readonly string[];
}

/** Parameters: the purses in their new state, with the lease of the process if it has changed, and the process. */
const WRITE_PURSES = `with rows as materialized (select * from json_to_recordset($1::text::json) as r(scope text, id text, credit_nanos bigint,
    leased_nanos bigint, day integer, day_nanos bigint, month integer, month_nanos bigint, previous_day integer, previous_day_nanos bigint,
    previous_month integer, previous_month_nanos bigint, total_nanos bigint, is_short boolean, caller_lease_nanos bigint)),
  leased as (insert into leases (scope, id, instance_id, nanos) select scope, id, $2, caller_lease_nanos from rows where caller_lease_nanos > 0
    on conflict (scope, id, instance_id) do update set nanos = excluded.nanos),
  returned as (delete from leases l using rows r where r.caller_lease_nanos = 0 and l.scope = r.scope and l.id = r.id and l.instance_id = $2)
  update purses p set credit_nanos = r.credit_nanos, leased_nanos = r.leased_nanos, day = r.day, day_nanos = r.day_nanos, month = r.month,
    month_nanos = r.month_nanos, previous_day = r.previous_day, previous_day_nanos = r.previous_day_nanos, previous_month = r.previous_month,
    previous_month_nanos = r.previous_month_nanos, total_nanos = r.total_nanos, is_short = r.is_short
  from rows r where p.scope = r.scope and p.id = r.id`;

const WRITE_REPLIES = `insert into answers (scope, digest, request_id, at_ms, headers, body)
  select * from json_to_recordset($1::text::json) as r(scope text, digest text, request_id text, at_ms bigint, headers text, body text)
  on conflict (scope) do update set digest = excluded.digest, request_id = excluded.request_id, at_ms = excluded.at_ms,
    headers = excluded.headers, body = excluded.body`;

const WRITE_PROGRESS = `update open_holds h set progress = r.progress
  from json_to_recordset($1::text::json) as r(request_id text, progress text) where h.request_id = r.request_id and h.instance_id = $2`;

/** The statements that write the outcome. */
export function toStatements(set: WorkingSet, outcome: Outcome): Statement[] {
  const short = shortPurses(set, outcome.changes);
  const freed = short.size > 0 ? freedPurses(set, short, outcome) : short;
  const rows = [...set.rows].flatMap((row) => {
    const key = purseKey(row);
    return toChangedRow(set, row, short.has(key) && !freed.has(key)) ?? [];
  });
  const statements: Statement[] = [];
  if (rows.length > 0) statements.push([WRITE_PURSES, [toJson(rows), set.instanceId]]);
  if (outcome.replies.length > 0) statements.push([WRITE_REPLIES, [toJson(outcome.replies.map(toReplyRow))]]);
  for (const purse of freed) statements.push([NOTIFY_FREED, [purse]]);
  // Last, because it locks the head.
  if (outcome.entries.length > 0) statements.push([ADD_ENTRIES, entryParameters(set, outcome)]);
  return statements;
}

/** The statement that writes the progress of responses in flight. */
export function toProgressStatement(instanceId: string, progress: ReadonlyMap<string, Progress>): Statement {
  const rows = [...progress].map(([requestId, reported]) => ({ request_id: requestId, progress: writeProgress(reported) }));
  return [WRITE_PROGRESS, [toJson(rows), instanceId]];
}

function writeProgress(progress: Progress): string {
  return JSON.stringify({ ...toProgressFields(progress), costNanos: String(progress.costNanos) });
}

export function readProgress(text: string): Progress {
  const { costNanos, ...fields } = JSON.parse(text) as ProgressFields & { readonly costNanos: string };
  return fromProgressFields(costNanos, fields);
}

function entryParameters({ books, instanceId, breakdownsVersion }: WorkingSet, { changes, entries, openBefore }: Outcome): unknown[] {
  const seqs = new Map<string, number>();
  for (const change of changes) {
    if (change.kind === "hold") seqs.set(`hold ${change.requestId}`, change.id);
    else seqs.set(`end ${endIn(change)?.requestId}`, change.id);
  }
  const rows = entries.map((entry) => {
    if (entry.kind === "hold") return toNewRow(entry, seqs.get(`hold ${entry.requestId}`), books.open.has(entry.requestId));
    return toNewRow(entry, seqs.get(`end ${requestIdOf(entry)}`), false);
  });
  return [entries.length, toJson(rows), instanceId, openBefore.filter((requestId) => !books.open.has(requestId)), breakdownsVersion];
}

/** The row of a changed purse, with all computed columns. Undefined for an unchanged purse. */
function toChangedRow(set: WorkingSet, row: PurseRow, is_short: boolean): object | undefined {
  const tally = set.tallyOf(row);
  const own = set.ownLeaseOf(row);
  if (!set.books.changed.has(tally) && own === row.caller_lease_nanos && is_short === row.is_short) return undefined;
  const { days, months } = tally;
  return {
    scope: row.scope,
    id: row.id,
    credit_nanos: String(tally.creditNanos),
    leased_nanos: String(set.leasedOf(row)),
    day: days.latest,
    day_nanos: String(days.latestNanos),
    month: months.latest,
    month_nanos: String(months.latestNanos),
    previous_day: days.previous,
    previous_day_nanos: String(days.previousNanos),
    previous_month: months.previous,
    previous_month_nanos: String(months.previousNanos),
    total_nanos: String(tally.totalNanos),
    is_short,
    caller_lease_nanos: own === row.caller_lease_nanos ? undefined : String(own),
  };
}

/** The purses from which a process got less than it asked for, now or before. */
function shortPurses(set: WorkingSet, changes: readonly ProcessChange[]): ReadonlySet<PurseKey> {
  const short = new Set<PurseKey>();
  for (const row of set.rows) if (row.is_short) short.add(purseKey(row));
  for (const change of changes) {
    if (change.kind !== "lease" || change.bound !== "at_least") continue;
    if (set.ownLeaseOf(change.purse) < change.nanos) short.add(purseKey(change.purse));
  }
  return short;
}

/** Short purses that have credit now, or no lease: the figures of the refused processes are then out of date. */
function freedPurses(set: WorkingSet, short: ReadonlySet<PurseKey>, { entries, returned }: Outcome): ReadonlySet<PurseKey> {
  const freed = new Set<PurseKey>();
  for (const purse of [...entries.flatMap((entry) => pursesOf(entry)), ...returned]) {
    if (!short.has(purseKey(purse))) continue;
    if ((set.core.availableOf(purse) ?? 1n) > 0n || set.leasedOf(purse) === 0n) freed.add(purseKey(purse));
  }
  return freed;
}

function toReplyRow({ scope, digest, requestId, atMs, headers, body }: IdempotentReply): object {
  return { scope, digest, request_id: requestId, at_ms: atMs, headers: JSON.stringify(headers), body };
}

/**
 * Adds entries with the next ids, opens their holds and ends others. The head is locked last, until the commit: ids have no gaps, and are
 * in the order of the commits. Parameters: the number of rows, the rows, the instance, the requests whose holds have ended, and the version
 * of the counted breakdowns: if the ledger has another version, the transaction fails.
 */
export const ADD_ENTRIES = `with head as (update ledger_head set last_id = last_id + $1::bigint where single = 1
    returning last_id - $1::bigint as last_id, require_breakdowns($5::bigint, breakdowns_version)),
  rows as materialized (select * from json_to_recordset($2::text::json) as r(n bigint, hold_n bigint, hold_id bigint, is_open boolean, ${SENT_COLUMNS}, seq bigint)),
  ended as (delete from open_holds where request_id = any($4::text[])),
  opened as (insert into open_holds (request_id, instance_id, hold_id, account_id, key_id, amount_nanos)
    select request_id, $3, last_id + n, account_id, key_id, amount_nanos from head, rows where is_open)
  insert into entries (id, hold_id, instance_id, ${SENT_NAMES}, seq)
    select last_id + n, coalesce(hold_id, last_id + hold_n), $3, ${SENT_NAMES}, seq from head, rows order by n`;

/**
 * A new entry as a row. Its id `n` is relative to the head of the ledger; the id of its hold is relative too (`hold_n`), if the hold is also
 * new. `seq`: the number of the change in the sequence of its process; undefined for entries that end a process. `isOpen`: whether the
 * entry is a hold that stays open.
 */
export function toNewRow(entry: Entry, seq: number | undefined, isOpen: boolean): object {
  const row = { ...toSentRow(entry), n: entry.id - BEFORE_FIRST_ID, seq, is_open: isOpen };
  if (!("holdId" in entry) || entry.holdId >= 0) return row;
  return { ...row, hold_id: undefined, hold_n: entry.holdId - BEFORE_FIRST_ID };
}
