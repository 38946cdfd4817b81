import { describe, expect, test } from "bun:test";
import { median, quantile, slopeOf, spreadOf } from "./statistics.ts";

describe("a spread", () => {
  test("has the median and the interquartile range of the samples, in any order", () => {
    const { median: middle, low, high, count } = spreadOf([5, 1, 4, 2, 3]);
    expect({ middle, low, high, count }).toEqual({ middle: 3, low: 2, high: 4, count: 5 });
  });

  test("interpolates where the count is even", () => {
    expect(median([1, 2])).toBe(1.5);
    expect(quantile([0, 10], 0.9)).toBe(9);
  });

  test("has the same confidence interval for the same samples", () => {
    const values = [10, 11, 9, 10.5, 9.5, 10.2, 9.9, 30, 10.1];
    const spread = spreadOf(values);
    expect(spread.ciLow).toBeLessThan(spread.median);
    expect(spread.ciHigh).toBeGreaterThan(spread.median);
    // An outlier does not shift the interval.
    expect(spread.ciHigh).toBeLessThan(15);
    expect(spreadOf(values)).toEqual(spread);
  });

  test("of few samples has all of them in its confidence interval", () => {
    expect(spreadOf([3, 1, 2, 5, 9])).toMatchObject({ median: 3, ciLow: 1, ciHigh: 9 });
  });

  test("of equal samples has no width", () => {
    expect(spreadOf([2, 2, 2])).toEqual({ median: 2, low: 2, high: 2, ciLow: 2, ciHigh: 2, count: 3 });
  });
});

test("is the slope of the fitted line", () => {
  expect(slopeOf([0, 1, 2, 3].map((x) => [x, 5 + 2 * x] as const))).toBeCloseTo(2);
  expect(slopeOf([[1, 7]])).toBe(0);
});
