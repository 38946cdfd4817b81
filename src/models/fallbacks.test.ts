import { describe, expect, test } from "bun:test";
import { problemOfFallback, toFallbacks } from "./fallbacks.ts";

const never = (): never => {
  throw new Error("It is valid.");
};

/** By model: its fallbacks. */
const problem = (graph: Readonly<Record<string, readonly string[]>>): string | undefined =>
  problemOfFallback("a", "b", (id) => graph[id] && { isRetired: false, fallbacks: graph[id] });

describe("declared fallbacks", () => {
  test("are for errors by default, with their conditions in one order", () => {
    expect(toFallbacks(["a", { model: "b" }, { model: "c", on: ["content_filter", "error", "error"] }], never)).toEqual([
      { model: "a", on: ["error"] },
      { model: "b", on: ["error"] },
      { model: "c", on: ["error", "content_filter"] },
    ]);
  });
});

describe("a loop", () => {
  test.each([
    [{ a: [], b: ["a"] }, "a → b → a"],
    [{ a: [], b: ["c", "d"], c: ["e"], d: ["a"], e: [] }, "a → b → d → a"],
  ])("is found, whatever its length", (graph, way) => expect(problem(graph)).toBe(`makes a loop: ${way}`));

  test.each([[{ a: [], b: ["c"], c: [] }], [{ a: [], b: ["c"], c: ["d"], d: ["c"] }]])("is none where the model is not in it", (graph) =>
    expect(problem(graph)).toBeUndefined(),
  );
});
