import { expect, test } from "bun:test";
import { usageFromWire } from "./usage.ts";

test("counts are read with their details, absent ones as zero", () => {
  const details = {
    prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 4 },
  };
  expect(usageFromWire({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...details })).toEqual({
    promptTokens: 10,
    completionTokens: 5,
    cachedTokens: 3,
    cacheWriteTokens: 2,
    reasoningTokens: 4,
  });
  expect(usageFromWire({ prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: null })?.cachedTokens).toBe(0);
});

test("what is not token counts is nothing, not zero", () => {
  for (const wire of [
    null,
    undefined,
    1,
    [],
    {},
    { prompt_tokens: 1 },
    { prompt_tokens: -1, completion_tokens: 1 },
    { prompt_tokens: "1", completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: 9e15 },
  ]) {
    expect(usageFromWire(wire)).toBeUndefined();
  }
});
