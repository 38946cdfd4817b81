import type { LogDatabase } from "./log-database.ts";
import { daysBetween } from "./log-day.ts";
import type { RequestStatistics, RequestStatisticsQuery } from "./request-log-store.ts";
import { Intervals } from "./statistics/intervals.ts";

/** Reads statistics from the sums of all days. */
export class LogStatistics {
  readonly #database: LogDatabase;

  constructor(database: LogDatabase) {
    this.#database = database;
  }

  async read(query: RequestStatisticsQuery): Promise<RequestStatistics> {
    const intervals = new Intervals(query);
    const days = daysBetween(await this.#database.days(), query.bounds[0], query.bounds.at(-1));
    for (const day of days) await this.#database.addSums(day, intervals);
    const oldest = await this.#database.oldestDay();
    return { ...intervals.measures(), retainedFromMs: oldest === undefined ? null : Date.parse(oldest) };
  }
}
