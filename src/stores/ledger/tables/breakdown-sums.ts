import type { Database as SqliteFile } from "bun:sqlite";
import type { Entry } from "../../../money/ledger-entry.ts";
import { purseOf, type Breakdown } from "../../../money/breakdown.ts";
import type { Nanos } from "../../../money/money.ts";
import { dayAt, monthAt, PeriodSums, startOfPeriod } from "../../../money/period-sums.ts";
import { purseKey, type PurseKey } from "../../../money/purse.ts";
import { Tally } from "../../../money/tally.ts";
import { readAttribution } from "../../../money/attribution.ts";
import type { BreakdownTally } from "../books/breakdown-tallies.ts";
import { firstIdFrom } from "./entry-id-at-time.ts";

interface ChargeRow {
  readonly attribution: string | null;
  readonly at_ms: number;
  readonly amount_nanos: string;
}

/**
 * Adds up the charges of an account or a key by end user or tag, in the day and the month of this time: once, when a spend cap is first used. Reads
 * all entries of the month. `waiting`: entries that are not in the database, or not known to be.
 */
export function addUpBreakdown(file: SqliteFile, waiting: readonly Entry[], breakdown: Breakdown, nowMs: number): Iterable<BreakdownTally> {
  const [day, month] = [dayAt(nowMs), monthAt(nowMs)];
  const [fromMs, toMs] = [startOfPeriod("month", month), startOfPeriod("month", month + 1)];
  const tallies = new Map<PurseKey, BreakdownTally>();
  const add = (attribution: string | null, atMs: number, nanos: Nanos): void => {
    const purse = purseOf(breakdown, readAttribution(attribution));
    const key = purseKey(purse);
    let tally = tallies.get(key);
    if (!tally) tallies.set(key, (tally = new Tally(purse.scope, purse.id, new PeriodSums(day), new PeriodSums(month))));
    tally.months.add(month, nanos);
    if (dayAt(atMs) === day) tally.days.add(day, nanos);
  };
  const { owner, ownerId } = breakdown;
  // The index of accounts is by id too. That of keys does not exist: the entries of the month are read.
  const sql = `select attribution, at_ms, cast(amount_nanos as text) as amount_nanos from entries
    where ${owner}_id = ? and id >= ? and kind = 'settle' and at_ms >= ? and at_ms < ?`;
  const rows = file.query<ChargeRow, [string, number, number, number]>(sql);
  for (const row of rows.iterate(ownerId, firstIdFrom(file, fromMs), fromMs, toMs))
    add(row.attribution, row.at_ms, BigInt(row.amount_nanos));
  const lastId = file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
  for (const entry of waiting) {
    if (entry.id <= lastId || entry.kind !== "settle" || entry[`${owner}Id`] !== ownerId) continue;
    if (entry.atMs >= fromMs && entry.atMs < toMs)
      add(entry.attribution ? JSON.stringify(entry.attribution) : null, entry.atMs, entry.amountNanos);
  }
  return tallies.values();
}
