import { QUARTER_MS } from "../../../lib/time/calendar.ts";
import type { CurrentDay } from "../days/current-day.ts";
import type { DayReader } from "../days/day-reader.ts";
import type { LogDays } from "../days/log-days.ts";
import type { RequestStatistics, RequestStatisticsQuery } from "../request-log-store.ts";
import type { PendingSums } from "./pending-sums.ts";
import { RequestSums } from "./request-sums.ts";
import { ALL, type Name } from "./sum-table.ts";

/** Adds up the sums of all days. */
export class LogStatistics {
  readonly #days: LogDays;
  readonly #current: CurrentDay;

  constructor(days: LogDays, current: CurrentDay) {
    this.#days = days;
    this.#current = current;
  }

  async answer(question: RequestStatisticsQuery): Promise<RequestStatistics> {
    const { bounds } = question;
    const stretches = new Stretches(bounds);
    for (const day of this.#days.between(bounds[0], bounds.at(-1))) {
      do await this.#days.nextTurn();
      while (!this.#addDay(day, question, stretches));
    }
    const [oldest] = this.#days.all();
    return { ...stretches.measures(), retainedFromMs: oldest === undefined ? null : Date.parse(oldest) };
  }

  /** In one turn, so that nothing is written meanwhile. False where the day has to be added up first: a part of that is done then. */
  #addDay(day: string, question: RequestStatisticsQuery, stretches: Stretches): boolean {
    const isDone = this.#days.read(day, (reader) => {
      const pending = this.#current.pendingSums(day);
      if (pending || reader.areSumsComplete) {
        addSums(reader, pending, question, stretches);
        return true;
      }
      this.#current.backfill(day);
      return false;
    });
    return isDone ?? true;
  }
}

function addSums(reader: DayReader, pending: PendingSums | undefined, question: RequestStatisticsQuery, stretches: Stretches): void {
  const account: Name = question.accountId ?? ALL;
  const model: Name = question.model ?? ALL;
  const { firstQuarter, endQuarter } = stretches;
  for (const row of reader.sums(account, model, firstQuarter, endQuarter)) stretches.at(row.quarter).mergeStored(row);
  for (const [quarter, all] of pending?.quarters() ?? []) {
    if (quarter < firstQuarter || quarter >= endQuarter) continue;
    for (const sums of all.of(account, model)) stretches.at(quarter).merge(sums);
  }
}

/** The stretches of time that are asked for, and the sums of each. */
class Stretches {
  readonly #bounds: readonly number[];
  readonly #sums: (RequestSums | undefined)[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#sums = bounds.slice(1).map(() => undefined);
  }

  get firstQuarter(): number {
    return Math.floor(this.#bounds[0]! / QUARTER_MS);
  }

  get endQuarter(): number {
    return Math.ceil(this.#bounds.at(-1)! / QUARTER_MS);
  }

  /** The sums of the stretch that a quarter hour is in. */
  at(quarter: number): RequestSums {
    const at = this.#bounds.findLastIndex((bound) => bound <= quarter * QUARTER_MS);
    return (this.#sums[at] ??= new RequestSums());
  }

  measures(): Pick<RequestStatistics, "rows" | "total"> {
    const total = new RequestSums();
    const rows = this.#sums.flatMap((sums, at) => {
      if (!sums) return [];
      total.merge(sums);
      return [{ fromMs: this.#bounds[at]!, ...sums.measures() }];
    });
    return { rows, total: total.measures() };
  }
}
