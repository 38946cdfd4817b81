import type { Database as SqliteFile, Statement } from "bun:sqlite";
import type { RequestRow } from "../request-rows.ts";
import { PendingSums, quarterOf } from "../statistics/pending-sums.ts";
import type { StoredSums, SummedRequest } from "../statistics/request-sums.ts";
import { REPLACE_END_ROW, REPLACE_SUMS, SELECT_END_ROW, SELECT_SUMS, ALL, type Name } from "../statistics/sum-table.ts";

/**
 * The maximum number of pairs of account and model with pending sums. All pending sums are written in one turn, which blocks the event
 * loop. The number is bounded because any key can invent names of models.
 */
const MAX_PENDING = 200;
/** Rows of one slice of a backfill, and the maximum number of sums that result from them. */
const BACKFILLED_ROWS_AT_ONCE = 2048;
const BACKFILLED_SUMS_AT_ONCE = 200;

type SumsKey = [quarter: number, account: Name, model: Name];
/** The columns of a request that are summed. */
export type UnsummedRow = Pick<
  RequestRow,
  "row" | "ended_at_ms" | "account_id" | "model" | "outcome" | "code" | "duration_us" | "first_token_us"
>;

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
    this.#find = file.query(SELECT_SUMS);
    this.#replace = file.query(REPLACE_SUMS);
    if (endRow === undefined || this.#endRow() >= endRow) this.#pending = new PendingSums();
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
    const rows = this.#file
      .query<UnsummedRow, [number, number]>(
        `select row, ended_at_ms, account_id, model, outcome, code, duration_us, first_token_us from requests where row >= ?
          order by row limit ?`,
      )
      .all(this.#endRow(), BACKFILLED_ROWS_AT_ONCE);
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
    this.#file.query(REPLACE_END_ROW).run(endRow);
  }

  #endRow(): number {
    return this.#file.query<{ end_row: number }, []>(SELECT_END_ROW).get()?.end_row ?? 0;
  }
}

type StoredValues = [StoredSums["outcomes"], StoredSums["codes"], StoredSums["durations"], StoredSums["first_tokens"]];

function valuesOf({ outcomes, codes, durations, first_tokens: firstTokens }: StoredSums): StoredValues {
  return [outcomes, codes, durations, firstTokens];
}

export function toSummed(row: UnsummedRow): SummedRequest {
  return {
    endedAtMs: row.ended_at_ms,
    accountId: row.account_id,
    model: row.model,
    outcome: row.outcome,
    code: row.code,
    durationMs: row.duration_us / 1000,
    firstTokenMs: row.first_token_us === null ? null : row.first_token_us / 1000,
  };
}
