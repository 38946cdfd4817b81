import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../../test/support/long.ts";
import { ATTRIBUTED_GRANULARITIES, GRANULARITY_MS } from "./granularity.ts";
import { divideBuckets, slotRangesOf, type SlotRange } from "./slot-ranges.ts";

const QUARTER_MS = GRANULARITY_MS.quarter;
const DAY_MS = GRANULARITY_MS.day;
const FIRST_DAY = Date.parse("2027-01-30");

function rangesIn(bounds: readonly number[]): SlotRange[] {
  const { intervals, parts } = divideBuckets(bounds, { fromMs: 0, toMs: Infinity }, ATTRIBUTED_GRANULARITIES);
  expect(parts).toEqual([]);
  return slotRangesOf(intervals);
}

/** The net number of times that each quarter hour counts for each bucket: additions minus subtractions. */
function countQuarters(bounds: readonly number[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { granularity, firstSlot, endSlot, targets } of rangesIn(bounds)) {
    const size = GRANULARITY_MS[granularity];
    for (let ms = firstSlot * size; ms < endSlot * size; ms += QUARTER_MS) {
      for (const { bucketMs, isSubtracted } of targets) {
        const key = `${bucketMs} ${ms}`;
        counts.set(key, (counts.get(key) ?? 0) + (isSubtracted ? -1 : 1));
      }
    }
  }
  return new Map([...counts].filter(([, count]) => count !== 0));
}

test("each bucket has all of its quarter hours once, and no others", () => {
  const quarters = fc.uniqueArray(fc.nat(60 * 96), { minLength: 2, maxLength: 6 });
  const property = fc.property(quarters, (chosen) => {
    const bounds = chosen.toSorted((one, other) => one - other).map((quarter) => FIRST_DAY + quarter * QUARTER_MS);
    const expected = new Map<string, number>();
    for (let at = 0; at + 1 < bounds.length; at++) {
      for (let ms = bounds[at]!; ms < bounds[at + 1]!; ms += QUARTER_MS) expected.set(`${bounds[at]} ${ms}`, 1);
    }
    expect(countQuarters(bounds)).toEqual(expected);
  });
  fc.assert(property, runs(200, 5000));
});

test("a day of a time zone is the day of UTC, and the hours by which they differ are read once", () => {
  const bounds = Array.from({ length: 11 }, (_, day) => FIRST_DAY + day * DAY_MS - 5.75 * 60 * 60_000);
  const slots = rangesIn(bounds).reduce((count, { firstSlot, endSlot }) => count + endSlot - firstSlot, 0);
  // Ten days, and five hours and three quarter hours at each of the eleven bounds.
  expect(slots).toBe(10 + 11 * 8);
});
