import { describe, expect, test } from "bun:test";
import { problemOfFallback, toFallbacks } from "./fallbacks.ts";

const never = (): never => {
  throw new Error("It is valid.");
};

describe("declared fallbacks", () => {
  test("are for errors by default, with their conditions in one order", () => {
    expect(toFallbacks(["a", { model: "b" }, { model: "c", on: ["content_filter", "error", "error"] }], never)).toEqual([
      { model: "a", on: ["error"] },
      { model: "b", on: ["error"] },
      { model: "c", on: ["error", "content_filter"] },
    ]);
  });
});

describe("a fallback", () => {
  test.each([
    ["a", "names the model itself"],
    ["b", undefined],
    ["c", "names c, which is retired"],
    ["d", 'names "d", and there is no such model'],
  ])("%p of a: %p", (fallback, problem) => {
    const known = new Map(["a", "b", "c"].map((id) => [id, { isRetired: id === "c" }]));
    expect(problemOfFallback("a", fallback, (id) => known.get(id))).toBe(problem);
  });
});
