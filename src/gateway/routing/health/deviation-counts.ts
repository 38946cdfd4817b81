import type { Deviation, DeviationCount } from "../../../models/deviation.ts";

/** The most pairs of upstream and model. Models come and go: beyond this, the least recently counted pair is dropped. */
const MAX_PAIRS = 10_000;

/** Counts the format deviations of responses since the start, for each model at each upstream. */
export class DeviationCounts {
  /** By upstream and model, the most recently counted last. */
  readonly #pairs = new Map<string, DeviationCount & { readonly counts: Partial<Record<Deviation, number>> }>();

  /** Responses with implausible token counts, by upstream. */
  readonly #implausible = new Map<string, number>();

  #total = 0;

  /** The total count. A snapshot is out of date if the total has changed. */
  get total(): number {
    return this.#total;
  }

  note(upstream: string, model: string, deviation: Deviation): void {
    this.#total++;
    if (deviation === "usage_implausible") this.#implausible.set(upstream, this.implausibleUsages(upstream) + 1);
    // Neither id can have a space in it.
    const name = `${upstream} ${model}`;
    const pair = this.#pairs.get(name) ?? { upstream, model, counts: {} };
    pair.counts[deviation] = (pair.counts[deviation] ?? 0) + 1;
    this.#pairs.delete(name);
    this.#pairs.set(name, pair);
    if (this.#pairs.size > MAX_PAIRS) this.#pairs.delete(this.#pairs.keys().next().value!);
  }

  implausibleUsages(upstream: string): number {
    return this.#implausible.get(upstream) ?? 0;
  }

  /** Sorted by upstream, then by model. */
  snapshot(): DeviationCount[] {
    const names = [...this.#pairs.keys()].toSorted();
    return names.map((name) => structuredClone(this.#pairs.get(name)!));
  }
}
