import { describe, expect, test } from "bun:test";
import { AnthropicUsage } from "./anthropic-usage.ts";

function counted(...wires: unknown[]): unknown {
  const counts = new AnthropicUsage(() => undefined);
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
  const counts = new AnthropicUsage(() => undefined);
  expect(counts.take({ output_tokens: 5 })).toBe(false);
  expect(counts.take({ input_tokens: 5 })).toBe(false);
  expect(counts.take({ input_tokens: 5, output_tokens: 5 })).toBe(true);
});

describe("premium usage", () => {
  const counts = { input_tokens: 10, output_tokens: 7 };

  test("has the part of the cache writes that is kept for an hour", () => {
    const wire = {
      ...counts,
      cache_creation_input_tokens: 50,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
    };
    const premium = { hourWriteTokens: 30, toolCalls: {}, multipliers: [] };
    expect(counted(wire)).toEqual({ ...usage(60, 7, 0, 50), premium });
  });

  test("has the calls of tools, which never fall", () => {
    const wires = [2, 0].map((calls) => ({ ...counts, server_tool_use: { web_search_requests: calls, web_fetch_requests: 0 } }));
    expect(counted(...wires)).toMatchObject({ premium: { toolCalls: { web_search: 2 } } });
  });

  test("has the options that change the rates", () => {
    expect(counted({ ...counts, speed: "standard", inference_geo: "global", service_tier: "standard" })).toEqual(usage(10, 7));
    const premium = { multipliers: ["fast", "us", "priority"] };
    expect(counted({ ...counts, speed: "fast", inference_geo: "us", service_tier: "priority" })).toMatchObject({ premium });
  });

  test("adds the samplings of a compaction to the response's own", () => {
    const iterations = [
      { type: "compaction", input_tokens: 180_000, output_tokens: 3_500 },
      { type: "message", ...counts, cache_creation: { ephemeral_1h_input_tokens: 0 } },
    ];
    const premium = { hourWriteTokens: 0, toolCalls: {}, multipliers: [], largestPrompt: 180_000 };
    expect(counted({ ...counts, iterations })).toEqual({ ...usage(180_010, 3_507), premium });
  });

  test("has the calls that a cut response has not counted", () => {
    const read = new AnthropicUsage(() => undefined);
    read.take({ ...counts, output_tokens: 1 });
    for (const name of ["web_search", "web_search"]) read.noteBlock({ type: "server_tool_use", name });
    expect(read.usage).toMatchObject({ premium: { toolCalls: { web_search: 2 } } });
    read.take({ ...counts, server_tool_use: { web_search_requests: 1 } });
    expect(read.usage).toMatchObject({ premium: { toolCalls: { web_search: 1 } } });
  });

  test("has one fee for code that ran, and none with searches", () => {
    for (const [server_tool_use, toolCalls] of [
      [{}, { code_execution: 1 }],
      [{ web_search_requests: 1 }, { web_search: 1 }],
    ] as const) {
      const read = new AnthropicUsage(() => undefined);
      for (const name of ["bash_code_execution", "text_editor_code_execution"]) read.noteBlock({ type: "server_tool_use", name });
      read.take({ ...counts, server_tool_use });
      expect(read.usage).toMatchObject({ premium: { toolCalls } });
    }
  });

  test.each([
    [{ ...counts, search_units: 3 }, ["usage.search_units"]],
    [{ ...counts, cache_creation: { ephemeral_1d_input_tokens: 3 } }, ["usage.cache_creation.ephemeral_1d_input_tokens"]],
    [{ ...counts, server_tool_use: { "a b": "x" } }, ["usage.server_tool_use.…"]],
    [{ ...counts, iterations: [{ type: "message" }, { type: "advisor_message", output_tokens: 5 }] }, ["usage.iterations.type"]],
    [{ ...counts, search_units: 0, new_tier: null, details: {} }, []],
  ])("of %j is reported as unknown once: %j", (wire, expected) => {
    const reported: string[] = [];
    const read = new AnthropicUsage((_, name) => reported.push(name));
    for (let times = 0; times < 2; times++) read.take(wire);
    expect(reported).toEqual(expected);
  });
});
