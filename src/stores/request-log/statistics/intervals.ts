import { QUARTER_MS } from "../../../lib/time/calendar.ts";
import type { RequestStatistics, RequestStatisticsQuery } from "../request-log-store.ts";
import { ALL, quarterOf, type Name, type PendingSums } from "./pending-sums.ts";
import { RequestSums, type StoredSums, type SummedRequest } from "./request-sums.ts";

/** The stored sums of an account and a model in a quarter hour. */
export interface SumRow extends StoredSums {
  readonly quarter: number;
}

/** The intervals of a query, and the sums of each. */
export class Intervals {
  readonly account: Name;
  readonly model: Name;
  readonly firstQuarter: number;
  readonly endQuarter: number;
  readonly #bounds: readonly number[];
  readonly #sums: (RequestSums | undefined)[];

  constructor({ bounds, accountId, model }: RequestStatisticsQuery) {
    this.account = accountId ?? ALL;
    this.model = model ?? ALL;
    this.firstQuarter = Math.floor(bounds[0]! / QUARTER_MS);
    this.endQuarter = Math.ceil(bounds.at(-1)! / QUARTER_MS);
    this.#bounds = bounds;
    this.#sums = bounds.slice(1).map(() => undefined);
  }

  /** Adds stored sums of the account and the model, from the first to before the end quarter hour. */
  addStored(rows: readonly SumRow[]): void {
    for (const row of rows) this.#at(row.quarter).mergeStored(row);
  }

  /** Adds a request of the account and the model, unless it is before the first or after the end quarter hour. */
  add(request: SummedRequest): void {
    const quarter = quarterOf(request.endedAtMs);
    if (this.#includes(quarter)) this.#at(quarter).add(request);
  }

  /** Adds the sums of the account and the model between the first and the end quarter hour. */
  addPending(pending: PendingSums): void {
    for (const [quarter, all] of pending.quarters()) {
      if (!this.#includes(quarter)) continue;
      for (const sums of all.of(this.account, this.model)) this.#at(quarter).merge(sums);
    }
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

  #includes(quarter: number): boolean {
    return quarter >= this.firstQuarter && quarter < this.endQuarter;
  }

  /** The sums of the interval of a quarter hour. */
  #at(quarter: number): RequestSums {
    const at = this.#bounds.findLastIndex((bound) => bound <= quarter * QUARTER_MS);
    return (this.#sums[at] ??= new RequestSums());
  }
}
