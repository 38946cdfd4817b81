import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { plainModel } from "../../models/catalog.ts";
import { modelAt } from "../../models/prices/price-list.ts";
import { costOf, FREE, makePrice, type Price, type Rates } from "../../money/price.ts";
import type { PremiumUse, Usage } from "../../money/usage.ts";
import { faultInUsage, isPercentOf, recomputeCost, versionOf } from "./recompute-cost.ts";

const rate = fc.bigInt({ min: 0n, max: 200_000_000n });

const rates: fc.Arbitrary<Rates> = fc.record({
  inputPicos: rate,
  cachedInputPicos: rate,
  cacheWritePicos: rate,
  cacheWriteHourPicos: rate,
  outputPicos: rate,
  reasoningPicos: rate,
});

const PREMIUM = { multipliers: { fast: 6_000_000n, us: 1_100_001n }, toolFees: { web_search: 10_000_000_007n, web_fetch: 0n } };

/** Also options and tools that the price does not have. */
const premium: fc.Arbitrary<PremiumUse | undefined> = fc.option(
  fc.record(
    {
      hourWriteTokens: fc.constant(0),
      toolCalls: fc.dictionary(fc.constantFrom("web_search", "web_fetch", "constructor"), fc.nat(20)),
      multipliers: fc.subarray(["fast", "us", "constructor"]),
      largestPrompt: fc.nat(400),
    },
    { requiredKeys: ["hourWriteTokens", "toolCalls", "multipliers"] },
  ),
  { nil: undefined },
);

const price: fc.Arbitrary<Price> = fc
  .tuple(rates, fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 3 }), fc.array(rates, { minLength: 3, maxLength: 3 }))
  .map(([base, thresholds, higher]) => {
    const tiers = thresholds.toSorted((a, b) => a - b).map((aboveInputTokens, at) => ({ aboveInputTokens, rates: higher[at]! }));
    return makePrice({ effectiveAtMs: 0, source: "operator", rates: base, tiers, ...PREMIUM });
  });

const usage: fc.Arbitrary<Usage> = fc
  .tuple(fc.nat(150), fc.nat(150), fc.nat(150), fc.nat(300), fc.nat(300), fc.nat(100), premium)
  .map(([plain, cachedTokens, cacheWriteTokens, output, reasoningTokens, hourPercent, used]) => ({
    promptTokens: plain + cachedTokens + cacheWriteTokens,
    cachedTokens,
    cacheWriteTokens,
    completionTokens: output + reasoningTokens,
    reasoningTokens,
    ...(used && { premium: { ...used, hourWriteTokens: Math.floor((cacheWriteTokens * hourPercent) / 100) } }),
  }));

test("two independent cost computations agree", () => {
  fc.assert(
    fc.property(usage, price, (tokens, at) => {
      expect(recomputeCost(tokens, at)).toBe(costOf(tokens, at));
      expect(faultInUsage(tokens)).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
});

test("a cost is rounded up once, and large counts are exact", () => {
  const { version: _, ...free } = FREE;
  const at = makePrice({ ...free, rates: { ...FREE.rates, inputPicos: 37_500n, outputPicos: 1n } });
  const tokens = { promptTokens: 1, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  expect(recomputeCost(tokens, at)).toBe(38n);
  expect(recomputeCost({ ...tokens, promptTokens: 2 }, at)).toBe(75n);
  expect(recomputeCost({ ...tokens, promptTokens: 2, completionTokens: 1 }, at)).toBe(76n);
  expect(recomputeCost({ ...tokens, promptTokens: Number.MAX_SAFE_INTEGER }, at)).toBe((9_007_199_254_740_991n * 37_500n + 999n) / 1000n);
});

test("what a request has used besides tokens is part of its cost", () => {
  const base = { ...FREE.rates, inputPicos: 1_000_000n, cacheWritePicos: 1_250_000n, cacheWriteHourPicos: 2_000_000n };
  const at = makePrice({ effectiveAtMs: 0, source: "operator", rates: base, tiers: [], ...PREMIUM });
  const counts = { promptTokens: 100, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 60, reasoningTokens: 0 };
  const used = { hourWriteTokens: 40, toolCalls: { web_search: 2 }, multipliers: ["fast"] };
  // 40 × 1 + 20 × 1.25 + 40 × 2 = 145 millionths of a dollar, six times, and two searches.
  expect(costOf({ ...counts, premium: used }, at)).toBe(870_000n + 20_000_001n);
  expect(faultInUsage({ ...counts, premium: { ...used, hourWriteTokens: 61 } })).toContain("for an hour");
});

test("a response of several samplings has the tier of its longest prompt", () => {
  const at = makePrice({
    effectiveAtMs: 0,
    source: "operator",
    rates: { ...FREE.rates, inputPicos: 1_000_000n },
    tiers: [{ aboveInputTokens: 200_000, rates: { ...FREE.rates, inputPicos: 2_000_000n } }],
  });
  const counts = { promptTokens: 220_000, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const sampled = { hourWriteTokens: 0, toolCalls: {}, multipliers: [], largestPrompt: 190_000 };
  expect([costOf(counts, at), costOf({ ...counts, premium: sampled }, at)]).toEqual([440_000_000n, 220_000_000n]);
});

test("a price has the version of its content, and a changed price does not", () => {
  fc.assert(fc.property(price, (each) => expect(versionOf(each)).toBe(each.version)));
  expect(versionOf(FREE)).toBe("free");
  expect(versionOf({ ...FREE, rates: { ...FREE.rates, outputPicos: 1n } })).not.toBe("free");
});

test("a price of a price list is the percentage of its base, at every tier", () => {
  fc.assert(
    fc.property(price, fc.constantFrom(0, 1, 77, 100, 250), (base, percent) => {
      const model = { ...plainModel("m", { upstream: "u", upstreamModel: "m" }), prices: [base] };
      const [derived] = modelAt({ id: "l", name: "L", percents: [{ effectiveAtMs: 0, percent }], prices: new Map() }, model).prices;
      expect(isPercentOf(derived!, base, percent)).toBe(true);
    }),
  );
});
