import type { Deviation, DeviationCount } from "../../../models/deviation.ts";

/** The format deviations of several processes together, by upstream, then by model. */
export function sumDeviations(lists: Iterable<readonly DeviationCount[]>): DeviationCount[] {
  const sums = new Map<string, DeviationCount & { readonly counts: Partial<Record<Deviation, number>> }>();
  for (const { upstream, model, counts } of [...lists].flat()) {
    // Neither id can have a space in it.
    const name = `${upstream} ${model}`;
    const sum = sums.get(name) ?? { upstream, model, counts: {} };
    sums.set(name, sum);
    for (const [deviation, count] of Object.entries(counts) as [Deviation, number][]) {
      sum.counts[deviation] = (sum.counts[deviation] ?? 0) + count;
    }
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}
