import { describe, expect, test } from "bun:test";
import { AnthropicUsage } from "./anthropic-usage.ts";

function counted(...wires: unknown[]): unknown {
  const counts = new AnthropicUsage();
  for (const wire of wires) counts.take(wire);
  return counts.usage;
}

const usage = (promptTokens: number, completionTokens: number, cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0): object => ({
  promptTokens,
  completionTokens,
  cachedTokens,
  cacheWriteTokens,
  reasoningTokens,
});

test("prompt tokens are uncached input, cache reads and cache writes", () => {
  const wire = { input_tokens: 10, cache_read_input_tokens: 3, cache_creation_input_tokens: 2, output_tokens: 7 };
  expect(counted(wire)).toEqual(usage(15, 7, 3, 2));
});

test("thinking tokens are part of the output", () => {
  expect(counted({ input_tokens: 1, output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } })).toEqual(usage(1, 9, 0, 0, 4));
});

describe("later counts", () => {
  const start = { input_tokens: 43, output_tokens: 1 };

  test.each([
    ["replaces what came before", { input_tokens: 61, output_tokens: 2 }, usage(61, 2)],
    ["may move tokens to the cache", { input_tokens: 3, cache_read_input_tokens: 40, output_tokens: 2 }, usage(43, 2, 40)],
    ["may be the first to tell of the cache", { cache_read_input_tokens: 5, output_tokens: 2 }, usage(48, 2, 5)],
    ["may leave the prompt out", { output_tokens: 2 }, usage(43, 2)],
    ["may have nulls", { input_tokens: null, cache_read_input_tokens: null, output_tokens: 2 }, usage(43, 2)],
    ["is not believed where it is less", { input_tokens: 0, output_tokens: 0 }, usage(43, 1)],
    ["may be nothing at all", undefined, usage(43, 1)],
  ])("%s", (_when, later, expected) => {
    expect(counted(start, later)).toEqual(expected);
  });
});

test("has no usage without valid input and output counts", () => {
  for (const wire of [
    undefined,
    "x",
    {},
    { input_tokens: 5 },
    { output_tokens: 5 },
    { input_tokens: -1, output_tokens: 5 },
    { input_tokens: 1e12, output_tokens: 5 },
  ]) {
    expect(counted(wire)).toBeUndefined();
  }
});

test("returns whether the output was counted", () => {
  const counts = new AnthropicUsage();
  expect(counts.take({ output_tokens: 5 })).toBe(false);
  expect(counts.take({ input_tokens: 5 })).toBe(false);
  expect(counts.take({ input_tokens: 5, output_tokens: 5 })).toBe(true);
});
