import type { SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { CostedMeasures, RankedMeasure } from "../ledger-record-store.ts";

/**
 * Usage sums in numbers that stay exact: counts, and money as whole dollars and nano-dollars. A report adds up millions of them, and
 * `bigint` is too slow for that.
 */
export type Figures = Float64Array;

/** The index of each figure. An amount of money takes two. */
const REQUESTS = 0;
const FAILED = 1;
const PROMPT = 2;
const CACHED = 3;
const CACHE_WRITE = 4;
const COMPLETION = 5;
const REASONING = 6;
const COST = 7;
const UNCHARGED = 9;
/** Figures of the requests whose upstream cost is known: their number, their upstream cost, and the charges for them. */
const COSTED_REQUESTS = 11;
const UPSTREAM_COST = 12;
const COSTED = 14;
export const FIGURE_COUNT = 16;

const NANOS_PER_DOLLAR = 1_000_000_000;
const NANOS_PER_DOLLAR_BIG = 1_000_000_000n;

export function noFigures(): Figures {
  return new Float64Array(FIGURE_COUNT);
}

/** Overwrites figures with the figures of a released request. */
export function putFailure(figures: Figures): void {
  figures.fill(0);
  figures[FAILED] = 1;
}

/** Overwrites figures with the figures of a settlement. */
export function putCharge(figures: Figures, { usage, amountNanos, unchargedNanos, upstreamCostNanos }: SettleEntry): void {
  figures[REQUESTS] = 1;
  figures[FAILED] = 0;
  figures[PROMPT] = usage.promptTokens;
  figures[CACHED] = usage.cachedTokens;
  figures[CACHE_WRITE] = usage.cacheWriteTokens;
  figures[COMPLETION] = usage.completionTokens;
  figures[REASONING] = usage.reasoningTokens;
  split(amountNanos, figures, COST);
  split(unchargedNanos, figures, UNCHARGED);
  figures[COSTED_REQUESTS] = upstreamCostNanos === undefined ? 0 : 1;
  split(upstreamCostNanos ?? 0n, figures, UPSTREAM_COST);
  split(upstreamCostNanos === undefined ? 0n : amountNanos, figures, COSTED);
}

/** Adds figures. `from` and `moreFrom` are the offsets of the figures in arrays with several sets of figures. */
export function addFigures(sums: Figures, more: Figures, from = 0, moreFrom = 0): void {
  for (let at = 0; at < FIGURE_COUNT; at++) sums[from + at]! += more[moreFrom + at]!;
  carry(sums, from + COST);
  carry(sums, from + UNCHARGED);
  carry(sums, from + UPSTREAM_COST);
  carry(sums, from + COSTED);
}

/** Subtracts figures that are a part of the sums. */
export function subtractFigures(sums: Figures, part: Figures, from: number, partFrom = 0): void {
  for (let at = 0; at < FIGURE_COUNT; at++) sums[from + at]! -= part[partFrom + at]!;
  borrow(sums, from + COST);
  borrow(sums, from + UNCHARGED);
  borrow(sums, from + UPSTREAM_COST);
  borrow(sums, from + COSTED);
}

/** Orders by cost, highest first, then by the number of requests. */
export function compareCosts(one: Figures, other: Figures, from: number, otherFrom: number): number {
  const [at, otherAt] = [from + COST, otherFrom + COST];
  return other[otherAt]! - one[at]! || other[otherAt + 1]! - one[at + 1]! || usesIn(other, otherFrom) - usesIn(one, from);
}

/** Orders by a measure, highest first, then by cost. */
export function compareMeasures(one: Figures, other: Figures, from: number, otherFrom: number, measure: RankedMeasure): number {
  return measureOf(other, otherFrom, measure) - measureOf(one, from, measure) || compareCosts(one, other, from, otherFrom);
}

function measureOf(figures: Figures, from: number, measure: RankedMeasure): number {
  switch (measure) {
    case "cost":
      // Equal as numbers: `compareCosts` decides, exactly.
      return 0;
    case "requests":
      return usesIn(figures, from);
    case "tokens":
      return figures[from + PROMPT]! + figures[from + COMPLETION]!;
    case "failed":
      return figures[from + FAILED]!;
  }
}

/** The number of requests. */
export function usesIn(figures: Figures, from: number): number {
  return figures[from + REQUESTS]! + figures[from + FAILED]!;
}

export function toMeasures(figures: Figures): CostedMeasures {
  return {
    requests: figures[REQUESTS]!,
    failed: figures[FAILED]!,
    promptTokens: figures[PROMPT]!,
    cachedTokens: figures[CACHED]!,
    cacheWriteTokens: figures[CACHE_WRITE]!,
    completionTokens: figures[COMPLETION]!,
    reasoningTokens: figures[REASONING]!,
    costNanos: join(figures, COST),
    unchargedNanos: join(figures, UNCHARGED),
    costedRequests: figures[COSTED_REQUESTS]!,
    upstreamCostNanos: join(figures, UPSTREAM_COST),
    costedNanos: join(figures, COSTED),
  };
}

export function toFigures(measures: CostedMeasures): Figures {
  const figures = noFigures();
  figures[REQUESTS] = measures.requests;
  figures[FAILED] = measures.failed;
  figures[PROMPT] = measures.promptTokens;
  figures[CACHED] = measures.cachedTokens;
  figures[CACHE_WRITE] = measures.cacheWriteTokens;
  figures[COMPLETION] = measures.completionTokens;
  figures[REASONING] = measures.reasoningTokens;
  split(measures.costNanos, figures, COST);
  split(measures.unchargedNanos, figures, UNCHARGED);
  figures[COSTED_REQUESTS] = measures.costedRequests;
  split(measures.upstreamCostNanos, figures, UPSTREAM_COST);
  split(measures.costedNanos, figures, COSTED);
  return figures;
}

function split(nanos: Nanos, figures: Figures, at: number): void {
  // Most amounts are below a dollar, and need no division of a `bigint`.
  const isSmall = nanos < NANOS_PER_DOLLAR_BIG;
  figures[at] = isSmall ? 0 : Number(nanos / NANOS_PER_DOLLAR_BIG);
  figures[at + 1] = Number(isSmall ? nanos : nanos % NANOS_PER_DOLLAR_BIG);
}

function join(figures: Figures, at: number): Nanos {
  return BigInt(figures[at]!) * NANOS_PER_DOLLAR_BIG + BigInt(figures[at + 1]!);
}

function carry(figures: Figures, at: number): void {
  const nanos = figures[at + 1]!;
  if (nanos < NANOS_PER_DOLLAR) return;
  const dollars = Math.floor(nanos / NANOS_PER_DOLLAR);
  figures[at]! += dollars;
  figures[at + 1] = nanos - dollars * NANOS_PER_DOLLAR;
}

function borrow(figures: Figures, at: number): void {
  if (figures[at + 1]! >= 0) return;
  figures[at]! -= 1;
  figures[at + 1]! += NANOS_PER_DOLLAR;
}
