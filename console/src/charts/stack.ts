import type { Series } from "./chart-data.ts";

/** A part of a bar: from one value of the y axis to another. */
export interface Segment {
  readonly from: number;
  readonly to: number;
}

/** The segments of each series in each slot, stacked: positive values upwards from zero, negative ones downwards. */
export function stack(series: readonly Series[], slots: number): Segment[][] {
  const tops = Array.from({ length: slots }, () => 0);
  const bottoms = Array.from({ length: slots }, () => 0);
  return series.map(({ values }) =>
    tops.map((_, at) => {
      const value = values[at] ?? 0;
      const ends = value >= 0 ? tops : bottoms;
      const from = ends[at]!;
      ends[at] = from + value;
      return { from, to: ends[at] };
    }),
  );
}

/** Round values for the y axis, from at most the least value to at least the most, with zero among them. */
export function ticksFor(least: number, most: number, isWhole: boolean): number[] {
  const span = Math.max(most, 0) - Math.min(least, 0);
  if (span === 0) return [0, 1];
  const rough = span / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.999)!;
  const whole = isWhole ? Math.max(1, Math.ceil(step)) : step;
  const [first, last] = [Math.floor(Math.min(least, 0) / whole), Math.ceil(Math.max(most, 0) / whole)];
  // Multiplied, not added up: a sum of floats such as 0.1 + 0.2 would be an ugly tick label.
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * whole).toPrecision(12)));
}
