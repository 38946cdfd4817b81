import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { plainModel } from "../../models/catalog.ts";
import { modelAt } from "../../models/prices/price-list.ts";
import { costOf, FREE, makePrice, type Price, type Rates } from "../../money/price.ts";
import type { Usage } from "../../money/usage.ts";
import { faultInUsage, isPercentOf, recomputeCost, versionOf } from "./recompute-cost.ts";

const rate = fc.bigInt({ min: 0n, max: 200_000_000n });

const rates: fc.Arbitrary<Rates> = fc.record({
  inputPicos: rate,
  cachedInputPicos: rate,
  cacheWritePicos: rate,
  outputPicos: rate,
  reasoningPicos: rate,
});

const price: fc.Arbitrary<Price> = fc
  .tuple(rates, fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 3 }), fc.array(rates, { minLength: 3, maxLength: 3 }))
  .map(([base, thresholds, higher]) => {
    const tiers = thresholds.toSorted((a, b) => a - b).map((aboveInputTokens, at) => ({ aboveInputTokens, rates: higher[at]! }));
    return makePrice({ effectiveAtMs: 0, source: "operator", rates: base, tiers });
  });

const usage: fc.Arbitrary<Usage> = fc
  .tuple(fc.nat(150), fc.nat(150), fc.nat(150), fc.nat(300), fc.nat(300))
  .map(([plain, cachedTokens, cacheWriteTokens, output, reasoningTokens]) => ({
    promptTokens: plain + cachedTokens + cacheWriteTokens,
    cachedTokens,
    cacheWriteTokens,
    completionTokens: output + reasoningTokens,
    reasoningTokens,
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
