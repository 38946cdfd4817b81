import { QUARTER_MS } from "../../../lib/time/calendar.ts";
import type { RequestStatistics } from "../request-log-store.ts";
import { RequestSums } from "./request-sums.ts";

/** The intervals of the query, and the sums of each. */
export class Intervals {
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

  /** The sums of the interval of a quarter hour. */
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
