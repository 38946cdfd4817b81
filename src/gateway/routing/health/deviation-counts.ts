import type { Deviation, DeviationCount } from "../../../models/deviation.ts";
import type { UpstreamHealth } from "../../../models/upstream-health.ts";

/** The most pairs of upstream and model. Models come and go: beyond this, the least recently counted pair is dropped. */
const MAX_PAIRS = 10_000;

/** The most fields of one upstream that alerts name. */
const MAX_FIELDS = 20;

/** Responses since startup with usage that is not charged. */
export type SuspiciousUsage = Required<Pick<UpstreamHealth, "implausibleUsages" | "unpricedUsages" | "unpricedFields">>;

const NONE_SUSPICIOUS: SuspiciousUsage = { implausibleUsages: 0, unpricedUsages: 0, unpricedFields: [] };

/** Counts the format deviations of responses since the start, for each model at each upstream. */
export class DeviationCounts {
  /** By upstream and model, the most recently counted last. */
  readonly #pairs = new Map<string, DeviationCount & { readonly counts: Partial<Record<Deviation, number>> }>();

  /** The responses of each upstream with usage that alerts are about. */
  readonly #suspicious = new Map<string, SuspiciousUsage>();

  #total = 0;

  /** The total count. A snapshot is out of date if the total has changed. */
  get total(): number {
    return this.#total;
  }

  /** `name`: the field that the deviation is about. */
  note(upstream: string, model: string, deviation: Deviation, name?: string): void {
    this.#total++;
    if (deviation === "usage_implausible" || deviation === "usage_unpriced") this.#noteUsage(upstream, deviation, name);
    // Neither id can have a space in it.
    const key = `${upstream} ${model}`;
    const pair = this.#pairs.get(key) ?? { upstream, model, counts: {} };
    pair.counts[deviation] = (pair.counts[deviation] ?? 0) + 1;
    this.#pairs.delete(key);
    this.#pairs.set(key, pair);
    if (this.#pairs.size > MAX_PAIRS) this.#pairs.delete(this.#pairs.keys().next().value!);
  }

  suspiciousUsage(upstream: string): SuspiciousUsage {
    return this.#suspicious.get(upstream) ?? NONE_SUSPICIOUS;
  }

  #noteUsage(upstream: string, deviation: "usage_implausible" | "usage_unpriced", name: string | undefined): void {
    const { implausibleUsages, unpricedUsages, unpricedFields } = this.suspiciousUsage(upstream);
    const isNew = name !== undefined && !unpricedFields.includes(name) && unpricedFields.length < MAX_FIELDS;
    this.#suspicious.set(upstream, {
      implausibleUsages: implausibleUsages + Number(deviation === "usage_implausible"),
      unpricedUsages: unpricedUsages + Number(deviation === "usage_unpriced"),
      unpricedFields: isNew ? [...unpricedFields, name] : unpricedFields,
    });
  }

  /** Sorted by upstream, then by model. */
  snapshot(): DeviationCount[] {
    const names = [...this.#pairs.keys()].toSorted();
    return names.map((name) => structuredClone(this.#pairs.get(name)!));
  }
}
