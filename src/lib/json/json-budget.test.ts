import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { isDeeperThan, isJsonWithin, JsonBudget } from "./json-budget.ts";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("isDeeperThan", () => {
  test("finds the depth of any value", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 6 })), (value) => {
        const depth = depthOf(value);
        const text = JSON.stringify(value);
        expect([isDeeperThan(text, depth), isDeeperThan(text, depth - 1)]).toEqual([false, true]);
      }),
      runs(600, 40_000),
    );
  });

  test("ignores brackets inside strings, and reads invalid JSON to its end", () => {
    expect(isDeeperThan(JSON.stringify(['[[[[\\"[[[[']), 1)).toBe(false);
    for (const text of ["", '"', '["', "]]]]", "[[[["]) expect(isDeeperThan(text, 4)).toBe(false);
    expect(isDeeperThan("[".repeat(1_000_000), 999)).toBe(true);
  });
});

describe("JsonBudget", () => {
  const UNNESTED = { maxDepth: 10, maxValues: 4 };

  test("counts the values of several texts together", () => {
    const budget = new JsonBudget(UNNESTED);
    expect(["[1,2]", '{"a":1,"b":2}', "[1,2,3]", "[1,2]"].map((text) => budget.take(text))).toEqual([
      undefined,
      undefined,
      undefined,
      "maxValues",
    ]);
  });

  test("does not count commas inside strings", () => {
    expect(new JsonBudget(UNNESTED).take('["a,b,c,d,e,f \\" ,,,,,,,"]')).toBeUndefined();
  });

  test("rejects a text that exceeds a limit without parsing it", () => {
    expect(isJsonWithin(`[${"1,".repeat(10_000_000)}1]`, new JsonBudget({ maxDepth: 256, maxValues: 200_000 }))).toBe(false);
    expect(["[1,2]", "[1,2", "[[1]]"].map((text) => isJsonWithin(text, new JsonBudget({ maxDepth: 1, maxValues: 4 })))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
