import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";
import type { Entry } from "../../../money/ledger-entry.ts";
import { purseOf, type Breakdown } from "../../../money/breakdown.ts";
import type { Nanos } from "../../../money/money.ts";
import { dayAt, monthAt, PeriodSums, startOfPeriod } from "../../../money/period-sums.ts";
import { purseKey, type PurseKey } from "../../../money/purse.ts";
import { Tally } from "../../../money/tally.ts";
import { readAttribution, type Attribution } from "../../../money/attribution.ts";
import type { BreakdownTally } from "../books/breakdown-tallies.ts";
import { firstIdFrom } from "../records/sqlite-rows.ts";

/** The size of a slice of work, which blocks the event loop for a few milliseconds. */
export interface CountingPace {
  /** Ids of entries per query. Few of these entries may belong to the account or key. */
  readonly entriesRead: number;
  readonly readMs: number;
  readonly talliesWritten: number;
}

export const COUNTING_PACE: CountingPace = { entriesRead: 1000, readMs: 2, talliesWritten: 250 };

interface ChargeRow {
  readonly attribution: string | null;
  readonly at_ms: number;
  readonly amount_nanos: string;
}

/**
 * The charges of an account or a key by end user or tag, in the day and the month of this time. The set of summed entries is fixed at
 * construction: the entries in the database, and those in `waiting` that are not in the database.
 */
export class BreakdownSums {
  readonly tallies = new Map<PurseKey, BreakdownTally>();
  readonly #file: SqliteFile;
  readonly #breakdown: Breakdown;
  readonly #day: number;
  readonly #month: number;
  readonly #fromMs: number;
  readonly #toMs: number;
  readonly #lastId: number;

  constructor(file: SqliteFile, waiting: readonly Entry[], breakdown: Breakdown, nowMs: number) {
    this.#file = file;
    this.#breakdown = breakdown;
    this.#day = dayAt(nowMs);
    this.#month = monthAt(nowMs);
    this.#fromMs = startOfPeriod("month", this.#month);
    this.#toMs = startOfPeriod("month", this.#month + 1);
    this.#lastId = file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
    for (const entry of waiting) if (entry.id > this.#lastId) this.#addWaiting(entry);
  }

  /** Reads the entries of the month, in slices. */
  async read({ entriesRead, readMs }: CountingPace): Promise<void> {
    let sinceMs = performance.now();
    for (let firstId = firstIdFrom(this.#file, this.#fromMs); firstId <= this.#lastId; firstId += entriesRead) {
      this.#readRange(firstId, Math.min(firstId + entriesRead - 1, this.#lastId));
      if (performance.now() - sinceMs < readMs) continue;
      await nextTurn();
      sinceMs = performance.now();
    }
  }

  #readRange(firstId: number, lastId: number): void {
    const { owner, ownerId } = this.#breakdown;
    // The index of accounts is also ordered by id. Keys have no index: all entries of the range are read.
    const sql = `select attribution, at_ms, cast(amount_nanos as text) as amount_nanos from entries
      where ${owner}_id = ? and id >= ? and id <= ? and kind = 'settle' and at_ms >= ? and at_ms < ?`;
    const rows = this.#file.query<ChargeRow, [string, number, number, number, number]>(sql);
    for (const row of rows.iterate(ownerId, firstId, lastId, this.#fromMs, this.#toMs)) {
      this.#add(readAttribution(row.attribution), row.at_ms, BigInt(row.amount_nanos));
    }
  }

  #addWaiting(entry: Entry): void {
    const { owner, ownerId } = this.#breakdown;
    if (entry.kind !== "settle" || entry[`${owner}Id`] !== ownerId || entry.atMs < this.#fromMs || entry.atMs >= this.#toMs) return;
    this.#add(entry.attribution, entry.atMs, entry.amountNanos);
  }

  #add(attribution: Attribution | undefined, atMs: number, nanos: Nanos): void {
    const purse = purseOf(this.#breakdown, attribution);
    const key = purseKey(purse);
    let tally = this.tallies.get(key);
    if (!tally) this.tallies.set(key, (tally = new Tally(purse.scope, purse.id, new PeriodSums(this.#day), new PeriodSums(this.#month))));
    tally.months.add(this.#month, nanos);
    if (dayAt(atMs) === this.#day) tally.days.add(this.#day, nanos);
  }
}
