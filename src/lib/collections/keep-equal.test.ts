import { expect, test } from "bun:test";
import { keepEqual } from "./keep-equal.ts";

const BEFORE = new Map([
  ["a", { n: 1 }],
  ["b", { n: 2 }],
]);

function kept(...next: [string, number][]): ReadonlyMap<string, { n: number }> {
  const values = new Map(next.map(([id, n]) => [id, { n }]));
  return keepEqual(BEFORE, values, (one, other) => (one.n === other.n ? one : other));
}

test("equal values in the same order are the map before", () => {
  expect(kept(["a", 1], ["b", 2])).toBe(BEFORE);
});

test("otherwise it is a new map, with the equal objects of before, in the new order", () => {
  const changed = kept(["a", 1], ["b", 3]);
  expect([...changed]).toEqual([
    ["a", { n: 1 }],
    ["b", { n: 3 }],
  ]);
  expect(changed.get("a")).toBe(BEFORE.get("a"));
  expect([...kept(["b", 2], ["a", 1]).keys()]).toEqual(["b", "a"]);
  expect([...kept(["b", 2]).keys()]).toEqual(["b"]);
  expect([...kept(["a", 1], ["c", 0], ["b", 2]).keys()]).toEqual(["a", "c", "b"]);
  expect([...kept(["a", 1], ["c", 2]).keys()]).toEqual(["a", "c"]);
});
