import type { Database as SqliteFile, Statement } from "bun:sqlite";
import { SQLITE } from "../log-dialect.ts";
import type { Intervals, SumRow } from "../statistics/intervals.ts";
import { ALL, PendingSums, quarterOf, type Name } from "../statistics/pending-sums.ts";
import type { StoredSums, SummedRequest } from "../statistics/request-sums.ts";
import { selectUnsummed, toSummed, type UnsummedRow } from "../statistics/unsummed-rows.ts";

/**
 * The maximum number of pairs of account and model with pending sums. All pending sums are written in one turn, which blocks the event
 * loop. The number is bounded because any key can invent names of models.
 */
const MAX_PENDING = 200;
/** Rows of one slice of a backfill, and the maximum number of sums that result from them. */
const BACKFILLED_ROWS_AT_ONCE = 2048;
const BACKFILLED_SUMS_AT_ONCE = 200;

/**
 * `sums` has the aggregates of requests, and `summed` the last row that they include; both are written in one transaction. The quarter hour
 * comes first in the key, so that rows that are written together are stored together.
 */
export const SUM_TABLES = [
  `create table if not exists sums (quarter integer not null, account not null, model not null, outcomes text not null, codes text,
    durations blob, first_tokens blob, primary key (quarter, account, model)) without rowid`,
  "create table if not exists summed (only integer primary key check (only = 1), end_row integer not null)",
] as const;

/** Skip scan: jumps from each quarter hour to the next existing one, without reading the rows of other accounts and models in between. */
const SELECT_SERIES = `with recursive quarters (quarter) as (
    select min(quarter) from sums where quarter >= ?3
    union all
    select (select min(quarter) from sums where quarter > quarters.quarter) from quarters where quarter < ?4
  )
  select sums.quarter, outcomes, codes, durations, first_tokens from quarters
    join sums on sums.quarter = quarters.quarter and account = ?1 and model = ?2
    where quarters.quarter < ?4`;

const SELECT_UNSUMMED = `${selectUnsummed(SQLITE, "requests")} where row >= ? order by row limit ?`;

type SumsKey = [quarter: number, account: Name, model: Name];
type StoredValues = [StoredSums["outcomes"], StoredSums["codes"], StoredSums["durations"], StoredSums["first_tokens"]];

/** Whether the stored sums of a day file include all rows. */
export function areSumsComplete(file: SqliteFile): boolean {
  const hasSums = file.query("select 1 from sqlite_master where name = 'summed'").get() !== null;
  const { row } = file.query<{ row: number | null }, []>("select max(row) as row from requests").get()!;
  return hasSums && (row === null || endRowOf(file) > row);
}

/** Adds the stored sums of a day file. */
export function addStoredSums(file: SqliteFile, intervals: Intervals): void {
  const { account, model, firstQuarter, endQuarter } = intervals;
  const rows = file.query<SumRow, [Name, Name, number, number]>(SELECT_SERIES).all(account, model, firstQuarter, endQuarter);
  intervals.addStored(rows);
}

/**
 * The sums of a day file. They are added up in memory, and written when their quarter hour is over, in one transaction with the number of
 * the last included row: writing a sum with each request would cost more than the request. After a crash, and in a file that was moved from
 * PostgreSQL, some rows are in no sum: these are backfilled in slices.
 */
export class DaySums {
  readonly #file: SqliteFile;
  readonly #find: Statement<StoredSums, SumsKey>;
  readonly #replace: Statement<unknown, [...SumsKey, ...StoredValues]>;
  /** The sums of all rows that are in no stored sum; undefined while there are, or may be, other rows in no stored sum. */
  #pending: PendingSums | undefined;

  /** The tables must exist. `endRow` is the row after the last one, if any. */
  constructor(file: SqliteFile, endRow: number | undefined) {
    this.#file = file;
    this.#find = file.query("select outcomes, codes, durations, first_tokens from sums where quarter = ? and account = ? and model = ?");
    this.#replace = file.query("insert or replace into sums values (?, ?, ?, ?, ?, ?, ?)");
    if (endRow === undefined || endRowOf(file) >= endRow) this.#pending = new PendingSums();
  }

  get pending(): PendingSums | undefined {
    return this.#pending;
  }

  /** Whether pending sums must be written before these requests are added. */
  isDue([first]: readonly SummedRequest[]): boolean {
    const pending = this.#pending;
    if (!pending || pending.size === 0) return false;
    return pending.size >= MAX_PENDING || pending.lastQuarter !== quarterOf(first!.endedAtMs);
  }

  /** Writes pending sums, up to a row. Call it in a transaction, and `clear` after the commit. */
  write(endRow: number): void {
    this.#writeAll(this.#pending!, endRow);
  }

  /** The pending sums are committed. */
  clear(): void {
    this.#pending = new PendingSums();
  }

  /** Adds requests that are committed. */
  add(requests: readonly SummedRequest[]): void {
    if (this.#pending) for (const request of requests) this.#pending.add(request);
  }

  /** Forgets the pending sums after a failed transaction: they may not match the file any more. */
  forget(): void {
    this.#pending = undefined;
  }

  /** Backfills the sums of a batch of rows. Call it in a transaction. Returns whether no row is left without a sum. */
  backfill(): boolean {
    const rows = this.#file.query<UnsummedRow, [number, number]>(SELECT_UNSUMMED).all(endRowOf(this.#file), BACKFILLED_ROWS_AT_ONCE);
    const sums = new PendingSums();
    let at = 0;
    while (at < rows.length && sums.size < BACKFILLED_SUMS_AT_ONCE) sums.add(toSummed(rows[at++]!));
    if (at > 0) this.#writeAll(sums, rows[at - 1]!.row + 1);
    return at === rows.length && rows.length < BACKFILLED_ROWS_AT_ONCE;
  }

  #writeAll(pending: PendingSums, endRow: number): void {
    for (const [quarter, all] of pending.quarters()) {
      const isNew = this.#find.get(quarter, ALL, ALL) === null;
      for (const { account, model, sums } of all.series()) {
        const stored = isNew ? null : this.#find.get(quarter, account, model);
        if (stored) sums.mergeStored(stored);
        this.#replace.run(quarter, account, model, ...valuesOf(sums.store()));
      }
    }
    this.#file.query("insert or replace into summed values (1, ?)").run(endRow);
  }
}

/** The row after the last one that the stored sums include. */
function endRowOf(file: SqliteFile): number {
  return file.query<{ end_row: number }, []>("select end_row from summed").get()?.end_row ?? 0;
}

function valuesOf({ outcomes, codes, durations, first_tokens: firstTokens }: StoredSums): StoredValues {
  return [outcomes, codes, durations, firstTokens];
}
