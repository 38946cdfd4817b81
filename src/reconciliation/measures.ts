/** The compared measures. The kinds of input do not overlap: `input` was neither read from a cache nor written to one. */
export const COUNTS = ["requests", "input", "cached", "cacheWrite", "output"] as const;

export type Count = (typeof COUNTS)[number];

/** Tokens, requests and pico-dollars. */
export interface Measures {
  readonly counts: Readonly<Record<Count, number>>;
  readonly costPicos: bigint;
}

export type Measure = Count | "cost";

export const NOTHING: Measures = { counts: { requests: 0, input: 0, cached: 0, cacheWrite: 0, output: 0 }, costPicos: 0n };

export function plus(one: Measures, other: Measures): Measures {
  return { counts: addCounts(one.counts, other.counts), costPicos: one.costPicos + other.costPicos };
}

function addCounts(one: Measures["counts"], other: Measures["counts"]): Measures["counts"] {
  return {
    requests: one.requests + other.requests,
    input: one.input + other.input,
    cached: one.cached + other.cached,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    output: one.output + other.output,
  };
}
