import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { TopN } from "./top-n.ts";

/** More items than the list keeps, so that most are discarded. */
const MANY = 5000;

test("returns the first n of a stable sort", () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: MANY, maxLength: MANY, size: "max" });
  fc.assert(
    fc.property(numbers, fc.constantFrom(1, 7, 1000, MANY * 2, Infinity), (keys, count) => {
      const items = keys.map((key, at) => ({ key, at }));
      const first = new TopN<{ key: number; at: number }>(count, (one, other) => one.key - other.key);
      for (const item of items) first.add(item);
      expect(first.inOrder()).toEqual(items.toSorted((one, other) => one.key - other.key).slice(0, count));
    }),
    { numRuns: 30 },
  );
});

test("does not sort all items: most are compared once or twice", () => {
  let compared = 0;
  const first = new TopN<number>(10, (one, other) => (compared++, one - other));
  for (let at = 0; at < 200_000; at++) first.add((at * 7919) % 200_003);
  expect(first.inOrder()).toHaveLength(10);
  expect(compared).toBeLessThan(400_000);
});
