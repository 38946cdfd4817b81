import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import {
  FREE,
  affordableOutput,
  costOf,
  highestCost,
  makePrice,
  percentOf,
  priceInForce,
  ratesFor,
  type Price,
  type Rates,
  type Tier,
} from "./price.ts";
import type { Usage } from "./usage.ts";

const picos = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 3000n }), fc.constant(0n));

const rates: fc.Arbitrary<Rates> = fc.record({
  inputPicos: picos,
  cachedInputPicos: picos,
  cacheWritePicos: picos,
  outputPicos: picos,
  reasoningPicos: picos,
});

const count = fc.oneof(fc.nat(1_000_000_000), fc.nat(300), fc.constant(0));

const tiers: fc.Arbitrary<Tier[]> = fc
  .uniqueArray(fc.record({ aboveInputTokens: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 1_000_000 })), rates }), {
    selector: (tier) => tier.aboveInputTokens,
    maxLength: 3,
  })
  .map((some) => some.toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens));

const prices: fc.Arbitrary<Price> = fc
  .record({ effectiveAtMs: fc.nat(), source: fc.constant("operator" as const), rates, tiers })
  .map(makePrice);

const usages: fc.Arbitrary<Usage> = fc
  .tuple(
    count,
    count,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  .map(([promptTokens, completionTokens, cached, written, thought]) => {
    const cachedTokens = Math.floor(promptTokens * cached);
    const cacheWriteTokens = Math.floor((promptTokens - cachedTokens) * written);
    return { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens: Math.floor(completionTokens * thought) };
  });

/**
 * Computes the pico-dollars of a usage, one kind of tokens after another, each at the rate in force for the length of the prompt. Does not
 * use `findLast`.
 */
function picosOf(usage: Usage, price: Price): bigint {
  let inForce = price.rates;
  for (const tier of price.tiers) if (usage.promptTokens > tier.aboveInputTokens) inForce = tier.rates;
  const kinds: [number, bigint][] = [
    [usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens, inForce.inputPicos],
    [usage.cachedTokens, inForce.cachedInputPicos],
    [usage.cacheWriteTokens, inForce.cacheWritePicos],
    [usage.completionTokens - usage.reasoningTokens, inForce.outputPicos],
    [usage.reasoningTokens, inForce.reasoningPicos],
  ];
  return kinds.reduce((sum, [tokens, rate]) => sum + BigInt(tokens) * rate, 0n);
}

/** All fields of a price, as text. */
function saidBy(price: Price): string {
  const said = [price.effectiveAtMs, price.rates, price.tiers];
  return JSON.stringify(said, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
}

describe("a cost", () => {
  test("is the exact sum over all kinds of tokens, rounded upward once", () => {
    const exact = fc.property(usages, prices, (usage, price) => {
      const due = picosOf(usage, price);
      const nanos = costOf(usage, price);
      // The smallest whole number of nano-dollars that is not less than the exact amount.
      expect(nanos * 1000n >= due && (nanos - 1n) * 1000n < due).toBe(true);
    });
    fc.assert(exact, runs(2500, 200_000));
  });

  test("of zero tokens, or at a zero price, is zero", () => {
    const nothing = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    const free = fc.property(usages, prices, (usage, price) => {
      expect(costOf(usage, FREE)).toBe(0n);
      expect(costOf(nothing, price)).toBe(0n);
    });
    fc.assert(free, runs(1000));
  });

  test("uses a tier for prompts above its threshold, not at it", () => {
    const [low, high] = [1n, 2n].map((each) => ({
      inputPicos: each * 1000n,
      cachedInputPicos: 0n,
      cacheWritePicos: 0n,
      outputPicos: 0n,
      reasoningPicos: 0n,
    }));
    const price = makePrice({ effectiveAtMs: 0, source: "operator", rates: low!, tiers: [{ aboveInputTokens: 100, rates: high! }] });
    expect([ratesFor(price, 100), ratesFor(price, 101)]).toEqual([low!, high!]);
    expect([highestCost(100, 0, price), highestCost(101, 0, price)]).toEqual([100n, 202n]);
  });
});

describe("the highest cost", () => {
  test("bounds the cost of every usage within the limits, for all token kinds and tiers", () => {
    const above = fc.property(usages, prices, fc.nat(1000), fc.nat(1000), (usage, price, moreInput, moreOutput) => {
      const bound = highestCost(usage.promptTokens + moreInput, usage.completionTokens + moreOutput, price);
      expect(costOf(usage, price) <= bound).toBe(true);
    });
    fc.assert(above, runs(2500, 200_000));
  });

  test("is tight: with one rate for all kinds it equals the cost", () => {
    const reached = fc.property(usages, picos, (usage, rate) => {
      const flat = { inputPicos: rate, cachedInputPicos: rate, cacheWritePicos: rate, outputPicos: rate, reasoningPicos: rate };
      const price = makePrice({ effectiveAtMs: 0, source: "operator", rates: flat, tiers: [] });
      expect(highestCost(usage.promptTokens, usage.completionTokens, price)).toBe(costOf(usage, price));
    });
    fc.assert(reached, runs(1000));
  });
});

describe("the output tokens that an amount pays for", () => {
  test("are the maximum that fits", () => {
    const amounts = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: -1000n, max: 10_000n }));
    const most = fc.property(amounts, count, prices, (amount, input, price) => {
      const output = affordableOutput(amount, input, price);
      if (highestCost(input, 0, price) > amount) return expect(output).toBe(0);
      if (output === Number.POSITIVE_INFINITY) return expect(highestCost(input, 1e9, price)).toBe(highestCost(input, 0, price));
      expect(highestCost(input, output, price) <= amount).toBe(true);
      expect(highestCost(input, output + 1, price) > amount).toBe(true);
    });
    fc.assert(most, runs(2500, 200_000));
  });
});

describe("a price's version", () => {
  test("is the same for equal prices, and different for any difference", () => {
    const seen = new Map<string, string>();
    const names = fc.property(prices, (price) => {
      expect(makePrice({ ...price, tiers: [...price.tiers] }).version).toBe(price.version);
      expect(seen.get(price.version) ?? saidBy(price)).toBe(saidBy(price));
      seen.set(price.version, saidBy(price));
    });
    fc.assert(names, runs(1250, 100_000));
  });

  test("distinguishes every rate, threshold and date", () => {
    const differ = fc.property(prices, rates, fc.nat(), (price, extra, at) => {
      const names = Object.keys(price.rates) as (keyof Rates)[];
      const changed: Price[] = [
        { ...price, effectiveAtMs: price.effectiveAtMs + 1 },
        ...names.map((name) => ({ ...price, rates: { ...price.rates, [name]: price.rates[name]! + 1n } })),
        { ...price, tiers: [...price.tiers, { aboveInputTokens: 2_000_000, rates: extra }] },
        ...(price.tiers.length === 0 ? [] : [{ ...price, tiers: price.tiers.slice(1) }]),
        ...price.tiers.slice(0, 1).flatMap((tier) => {
          const name = names[at % names.length]!;
          return [
            { ...price, tiers: [{ ...tier, aboveInputTokens: tier.aboveInputTokens + 1 }, ...price.tiers.slice(1)] },
            { ...price, tiers: [{ ...tier, rates: { ...tier.rates, [name]: tier.rates[name]! + 1n } }, ...price.tiers.slice(1)] },
          ];
        }),
      ];
      const versions = [price, ...changed].map((each) => makePrice(each).version);
      // Two changes may result in the same price, but neither may result in the original price.
      expect(versions.slice(1)).not.toContain(versions[0]!);
      expect(versions[0]).toMatch(/^[0-9a-f]{16}$/);
    });
    fc.assert(differ, runs(1000));
  });

  test("never changes, because ledger entries refer to it", () => {
    const price = makePrice({
      effectiveAtMs: 1_700_000_000_000,
      source: "default",
      rates: { inputPicos: 1n, cachedInputPicos: 2n, cacheWritePicos: 3n, outputPicos: 4n, reasoningPicos: 5n },
      tiers: [
        {
          aboveInputTokens: 6,
          rates: { inputPicos: 7n, cachedInputPicos: 8n, cacheWritePicos: 9n, outputPicos: 10n, reasoningPicos: 11n },
        },
      ],
    });
    expect(price.version).toBe("935e63b86708985a");
  });
});

test("the price in force is the latest effective one, from its first millisecond", () => {
  const made = [10, 20].map((effectiveAtMs) => makePrice({ effectiveAtMs, source: "operator", rates: FREE.rates, tiers: [] }));
  expect([9, 10, 19, 20, 99].map((nowMs) => priceInForce(made, nowMs)?.effectiveAtMs)).toEqual([undefined, 10, 10, 20, 20]);
});

describe("a percentage of a price", () => {
  test("costs that share, rounded up per token", () => {
    const part = fc.property(prices, usages, fc.integer({ min: 1, max: 99 }), (price, usage, percent) => {
      const scaled = percentOf(price, percent);
      const least = picosOf(usage, price) * BigInt(percent);
      const found = picosOf(usage, scaled) * 100n;
      expect(found).toBeGreaterThanOrEqual(least);
      expect(found).toBeLessThan(least + 100n * BigInt(usage.promptTokens + usage.completionTokens) + 1n);
      expect([scaled.version, scaled.effectiveAtMs]).toEqual([makePrice(scaled).version, price.effectiveAtMs]);
    });
    fc.assert(part, runs(1000));
  });

  test("is zero at 0 %, the price at 100 %, and zero of a free price", () => {
    const rate = { inputPicos: 3n, cachedInputPicos: 1n, cacheWritePicos: 0n, outputPicos: 100n, reasoningPicos: 101n };
    const price = makePrice({ effectiveAtMs: 5, source: "operator", rates: rate, tiers: [{ aboveInputTokens: 9, rates: rate }] });
    const half = { inputPicos: 2n, cachedInputPicos: 1n, cacheWritePicos: 0n, outputPicos: 50n, reasoningPicos: 51n };
    expect([percentOf(price, 0), percentOf(price, 100), percentOf(FREE, 30)]).toEqual([FREE, price, FREE]);
    expect(percentOf(price, 50)).toMatchObject({ rates: half, tiers: [{ aboveInputTokens: 9, rates: half }] });
  });
});
