import type { CurrentDay } from "./sqlite/current-day.ts";
import type { DayReader } from "./day-reader.ts";
import type { LogDays } from "./sqlite/log-days.ts";
import type { RequestStatistics, RequestStatisticsQuery } from "./request-log-store.ts";
import { Intervals } from "./statistics/intervals.ts";
import type { PendingSums } from "./statistics/pending-sums.ts";
import { ALL, type Name } from "./statistics/sum-table.ts";

/** Reads statistics from the sums of all days. */
export class LogStatistics {
  readonly #days: LogDays;
  readonly #current: CurrentDay;

  constructor(days: LogDays, current: CurrentDay) {
    this.#days = days;
    this.#current = current;
  }

  async read(query: RequestStatisticsQuery): Promise<RequestStatistics> {
    const { bounds } = query;
    const intervals = new Intervals(bounds);
    for (const day of this.#days.between(bounds[0], bounds.at(-1))) {
      do await this.#days.nextTurn();
      while (!this.#addDay(day, query, intervals));
    }
    const [oldest] = this.#days.all();
    return { ...intervals.measures(), retainedFromMs: oldest === undefined ? null : Date.parse(oldest) };
  }

  /**
   * Adds the sums of a day in one turn of the event loop, so that nothing is written meanwhile. Returns false if the sums of the day are
   * incomplete: then one slice of them is backfilled.
   */
  #addDay(day: string, query: RequestStatisticsQuery, intervals: Intervals): boolean {
    const isDone = this.#days.read(day, (reader) => {
      const pending = this.#current.pendingSums(day);
      if (pending || reader.areSumsComplete) {
        addSums(reader, pending, query, intervals);
        return true;
      }
      this.#current.backfill(day);
      return false;
    });
    return isDone ?? true;
  }
}

function addSums(reader: DayReader, pending: PendingSums | undefined, query: RequestStatisticsQuery, intervals: Intervals): void {
  const account: Name = query.accountId ?? ALL;
  const model: Name = query.model ?? ALL;
  const { firstQuarter, endQuarter } = intervals;
  for (const row of reader.sums(account, model, firstQuarter, endQuarter)) intervals.at(row.quarter).mergeStored(row);
  for (const [quarter, all] of pending?.quarters() ?? []) {
    if (quarter < firstQuarter || quarter >= endQuarter) continue;
    for (const sums of all.of(account, model)) intervals.at(quarter).merge(sums);
  }
}
