export interface Spread {
  readonly median: number;
  /** The interquartile range. */
  readonly low: number;
  readonly high: number;
  /** The 95 % confidence interval of the median; the whole range if there are too few samples. */
  readonly ciLow: number;
  readonly ciHigh: number;
  readonly count: number;
}

const RESAMPLES = 4000;
/** With fewer samples, even the whole range contains the true median less often than in 95 % of cases: five in 94 %. */
export const MIN_SAMPLES = 6;

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return below + (above - below) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function spreadOf(values: readonly number[]): Spread {
  const [ciLow, ciHigh] = values.length < MIN_SAMPLES ? [Math.min(...values), Math.max(...values)] : bootstrap(values);
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75), ciLow, ciHigh, count: values.length };
}

/** Seeded, so that the same samples always have the same interval. */
function bootstrap(values: readonly number[]): [low: number, high: number] {
  const random = seeded(values.length);
  const medians = Array.from({ length: RESAMPLES }, () => median(values.map(() => values[Math.floor(random() * values.length)]!)));
  return [quantile(medians, 0.025), quantile(medians, 0.975)];
}

/** The Mulberry32 generator: small, and good enough for bootstrap samples. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The slope of the least-squares line. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const under = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
