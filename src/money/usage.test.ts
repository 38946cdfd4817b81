import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import { costOf, makePrice } from "./price.ts";
import { countTokens, usageFromWire, usageToWire, type Usage } from "./usage.ts";

test("reads counts with their details, absent ones as zero", () => {
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

test("invalid token counts are undefined, not zero", () => {
  for (const wire of [
    null,
    undefined,
    1,
    [],
    {},
    { prompt_tokens: 1 },
    { prompt_tokens: -1, completion_tokens: 1 },
    { prompt_tokens: "1", completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: 1_000_000_001 },
  ]) {
    expect(usageFromWire(wire)).toBeUndefined();
  }
});

const hostile = fc.oneof(
  fc.nat(5000),
  fc.constantFrom(
    0,
    -1,
    1.5,
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER - 1,
    2 ** 53,
    1e300,
    Number.NaN,
    Infinity,
    null,
    undefined,
    "7",
    true,
    {},
    [],
  ),
  fc.integer({ min: 999_999_000, max: 1_000_001_000 }),
);

const details = fc.oneof(
  fc.record({ cached_tokens: hostile, cache_write_tokens: hostile, reasoning_tokens: hostile }, { requiredKeys: [] }),
  fc.constantFrom(null, [], 7, "x"),
);

const wires = fc.record(
  {
    prompt_tokens: fc.oneof({ weight: 4, arbitrary: fc.nat(5000) }, hostile),
    completion_tokens: fc.oneof({ weight: 4, arbitrary: fc.nat(5000) }, hostile),
    total_tokens: hostile,
    prompt_tokens_details: details,
    completion_tokens_details: details,
    prompt_cache_hit_tokens: hostile,
    cached_tokens: hostile,
  },
  { requiredKeys: [] },
);

/** Asserts what must be true for all counts: otherwise charges would be wrong. */
function expectSound(usage: Usage): void {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  for (const count of Object.values(usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
  expect(cachedTokens + cacheWriteTokens).toBeLessThanOrEqual(promptTokens);
  expect(reasoningTokens).toBeLessThanOrEqual(completionTokens);
  const total = usageToWire(usage)["total_tokens"];
  expect(BigInt(promptTokens) + BigInt(completionTokens)).toBe(BigInt(total));
}

test("for any upstream usage, details stay within their counts, and the total is the sum", () => {
  let read = 0;
  const sound = fc.property(wires, (wire) => {
    const usage = usageFromWire(wire);
    if (!usage) return;
    read++;
    expectSound(usage);
    expect(usage.promptTokens).toBe(wire.prompt_tokens as number);
    expect(usage.completionTokens).toBeGreaterThanOrEqual(wire.completion_tokens as number);
    expect(usageFromWire(JSON.parse(JSON.stringify(usageToWire(usage))))).toEqual(usage);
  });
  fc.assert(sound, runs(20_000));
  expect(read).toBeGreaterThan(5000);
});

test("no accepted usage costs more than the ledger can store, at the highest price", () => {
  const rate = 1_000_000n * 1_000_000n;
  const highest = { inputPicos: rate, cachedInputPicos: rate, cacheWritePicos: rate, outputPicos: rate, reasoningPicos: rate };
  const price = makePrice({ effectiveAtMs: 0, source: "operator", rates: highest, tiers: [] });
  const writable = fc.property(wires, (wire) => {
    const usage = usageFromWire(wire);
    if (usage) expect(costOf(usage, price) < 2n ** 63n).toBe(true);
  });
  fc.assert(writable, runs(5000));
});

test("tokens that are only in the total are charged as reasoning", () => {
  expect(usageFromWire({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 22 })).toMatchObject({
    completionTokens: 12,
    reasoningTokens: 7,
  });
  expect(usageFromWire({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 3 })).toMatchObject({
    completionTokens: 5,
    reasoningTokens: 0,
  });
});

test("estimates what an upstream has not counted, and marks the counts", () => {
  const counted = fc.property(wires, fc.nat(100_000), fc.nat(100_000), fc.boolean(), (wire, uncountedBytes, promptEstimate, isWhole) => {
    const usage = usageFromWire(wire);
    const { usage: result, provenance } = countTokens({ usage, uncountedBytes }, promptEstimate, isWhole);
    expectSound(result);
    if (usage && uncountedBytes === 0) return expect([result, provenance]).toEqual([usage, isWhole ? "measured" : "partial"]);
    expect(provenance).toBe("estimated");
    expect(result.promptTokens).toBe(usage?.promptTokens ?? promptEstimate);
    expect(result.completionTokens).toBe((usage?.completionTokens ?? 0) + Math.ceil(uncountedBytes / 4));
  });
  fc.assert(counted, runs(5000));
});
