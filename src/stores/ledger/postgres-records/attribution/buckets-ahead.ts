import type { BucketSums, GroupedSums } from "../../usage/report-maker.ts";
import type { ReportGroups } from "../../usage/report-groups.ts";
import { Sums } from "../../usage/sums.ts";

/** The maximum number of buckets read at once. Limits the memory of a report with thousands of groups in each bucket. */
const MAX_AT_ONCE = 32;

/** The sums of some buckets, by the start of the bucket. */
export type SumsByBucket = Map<number, Sums>;

/** Reads the buckets of a query in batches, doubling the batch size each time: a page may need few buckets or all of them. */
export class BucketsAhead implements BucketSums {
  readonly #groups: ReportGroups;
  readonly #bounds: readonly number[];
  readonly #read: (bounds: readonly number[]) => Promise<SumsByBucket>;
  #sums: SumsByBucket = new Map();
  #untilMs = -Infinity;
  #atOnce = 1;

  constructor(groups: ReportGroups, bounds: readonly number[], read: (bounds: readonly number[]) => Promise<SumsByBucket>) {
    this.#groups = groups;
    this.#bounds = bounds;
    this.#read = read;
  }

  async between(fromMs: number): Promise<GroupedSums> {
    if (fromMs >= this.#untilMs) {
      const at = this.#bounds.indexOf(fromMs);
      const bounds = this.#bounds.slice(at, at + this.#atOnce + 1);
      this.#sums = await this.#read(bounds);
      this.#untilMs = bounds.at(-1)!;
      this.#atOnce = Math.min(MAX_AT_ONCE, 2 * this.#atOnce);
    }
    return { groups: this.#groups, sums: this.#sums.get(fromMs) ?? new Sums() };
  }
}
