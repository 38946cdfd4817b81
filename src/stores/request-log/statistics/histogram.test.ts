import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../../test/support/long.ts";
import { binOf, Histogram } from "./histogram.ts";

/** From a tenth of a millisecond to an hour, logarithmically distributed. */
const times = fc.array(fc.double({ min: Math.log(0.1), max: Math.log(3_600_000), noNaN: true }).map(Math.exp), {
  minLength: 1,
  maxLength: 300,
});

function histogramOf(ms: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const each of ms) histogram.add(binOf(each));
  return histogram;
}

const SHARES = [0.01, 0.5, 0.95, 0.99, 1];

test("a percentile is less than 5 % from the true one, for any distribution", () => {
  const property = fc.property(times, (all) => {
    const inOrder = all.toSorted((a, b) => a - b);
    const quantiles = histogramOf(all).quantiles(SHARES);
    for (const [at, share] of SHARES.entries()) {
      expect(Math.abs(quantiles[at]! / inOrder[Math.ceil(share * all.length) - 1]! - 1)).toBeLessThan(0.05);
    }
  });
  fc.assert(property, runs(200));
});

test("merged histograms, encoded or not, equal one histogram of all values", () => {
  const property = fc.property(times, times, times, (one, other, third) => {
    const merged = histogramOf(one);
    merged.merge(histogramOf(other));
    merged.mergeEncoded(histogramOf(third).encode());
    const all = histogramOf([...one, ...other, ...third]);
    expect(merged.encode()).toEqual(all.encode());
    expect(merged.quantiles(SHARES)).toEqual(all.quantiles(SHARES));
  });
  fc.assert(property, runs(200));
});

test("encodes counts of millions", () => {
  const many = new Histogram();
  many.add(binOf(0), 3_000_000_000);
  many.add(binOf(1e9), 5);
  const read = new Histogram();
  read.mergeEncoded(many.encode());
  expect(read.encode()).toEqual(many.encode());
  expect(read.quantiles([0.5, 1])).toEqual([expect.closeTo(0.1, 1), expect.any(Number)]);
});
