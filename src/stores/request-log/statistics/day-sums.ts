import type { Database as SqliteFile, Statement } from "bun:sqlite";
import type { RequestRow } from "../days/request-table.ts";
import { readOutcome } from "../days/stored-outcome.ts";
import { PendingSums, quarterOf } from "./pending-sums.ts";
import type { StoredSums, SummedRequest } from "./request-sums.ts";
import { REPLACE_END_ROW, REPLACE_SUMS, SELECT_END_ROW, SELECT_SUMS, ALL, type Name } from "./sum-table.ts";

/**
 * Accounts with models that are kept in memory. The sums of so many, and of those that came with the last requests, are written in one
 * turn: any key can make up names of models, and while they are written nothing else can run.
 */
const MAX_PENDING = 200;
/** Rows that are added up in one turn, where that was not done when they were written, and the sums that may come of it. */
const LATE_ROWS_AT_ONCE = 2048;
const LATE_SUMS_AT_ONCE = 200;

type SumsKey = [quarter: number, account: Name, model: Name];
type LateRow = Pick<RequestRow, "row" | "ended_at_ms" | "account_id" | "model" | "outcome" | "code" | "duration_us" | "first_token_us">;

/**
 * The sums of a day's file. What is written is added up in memory, and written when its quarter hour is over, in one transaction with
 * the row up to which that goes. To write a sum with each request would cost more than the request. After a crash, and in a
 * file from before there were sums, rows are there that are not in any: those are read, a part at a time.
 */
export class DaySums {
  readonly #file: SqliteFile;
  readonly #find: Statement<StoredSums, SumsKey>;
  readonly #replace: Statement<unknown, [...SumsKey, ...StoredValues]>;
  /** Of all rows that are in no sum of the file; undefined while there are others, or where it is not known. */
  #pending: PendingSums | undefined;

  /** The tables must be there. `endRow` is behind the last row, if there is any. */
  constructor(file: SqliteFile, endRow: number | undefined) {
    this.#file = file;
    this.#find = file.query(SELECT_SUMS);
    this.#replace = file.query(REPLACE_SUMS);
    if (endRow === undefined || this.#endRow() >= endRow) this.#pending = new PendingSums();
  }

  get pending(): PendingSums | undefined {
    return this.#pending;
  }

  /** Whether sums are to be written before these requests are added. */
  isDue([first]: readonly SummedRequest[]): boolean {
    const pending = this.#pending;
    if (!pending || pending.size === 0) return false;
    return pending.size >= MAX_PENDING || pending.lastQuarter !== quarterOf(first!.endedAtMs);
  }

  /** Within a transaction: writes what there is, which goes up to a row. */
  write(endRow: number): void {
    this.#writeAll(this.#pending!, endRow);
  }

  /** What there was is written for good. */
  clear(): void {
    this.#pending = new PendingSums();
  }

  /** These have been written for good. */
  add(requests: readonly SummedRequest[]): void {
    if (this.#pending) for (const request of requests) this.#pending.add(request);
  }

  /** A transaction has failed: what is known here may not be what the file has. */
  forget(): void {
    this.#pending = undefined;
  }

  /** Within a transaction: adds up some of the rows that are in no sum. Whether these were all. */
  backfill(): boolean {
    const rows = this.#file
      .query<LateRow, [number, number]>(
        `select row, ended_at_ms, account_id, model, outcome, code, duration_us, first_token_us from requests where row >= ?
          order by row limit ?`,
      )
      .all(this.#endRow(), LATE_ROWS_AT_ONCE);
    const sums = new PendingSums();
    let at = 0;
    while (at < rows.length && sums.size < LATE_SUMS_AT_ONCE) sums.add(toSummed(rows[at++]!));
    if (at > 0) this.#writeAll(sums, rows[at - 1]!.row + 1);
    return at === rows.length && rows.length < LATE_ROWS_AT_ONCE;
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

function toSummed(row: LateRow): SummedRequest {
  return {
    endedAtMs: row.ended_at_ms,
    accountId: row.account_id,
    model: row.model,
    outcome: readOutcome(row.outcome),
    code: row.code,
    durationMs: row.duration_us / 1000,
    firstTokenMs: row.first_token_us === null ? null : row.first_token_us / 1000,
  };
}
