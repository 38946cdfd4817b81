import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { models, modelWith, prices } from "../../../test/support/money/hold-arbitraries.ts";
import { runs } from "../../../test/support/long.ts";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import type { Model } from "../../models/catalog.ts";
import { FREE, makePrice } from "../../money/price.ts";
import { minimumCost, type MinimumCost } from "./cost-bound.ts";
import { fullHold, tokenBoundOf } from "./hold.ts";

const ALL = { models: ["*"] };

function leastFor(enoughNanos: bigint, ...found: Model[]): MinimumCost {
  const catalog = new Map(found.map((model, at) => [`m${at}`, { ...model, id: `m${at}` }]));
  return minimumCost(ALL, { models: ["m*"] }, enoughNanos, catalog, 1);
}

const priced = (dollarsPerMillion: number, some: Partial<Model> = {}): Model => {
  const picos = BigInt(dollarsPerMillion) * 1_000_000n;
  const rates = { inputPicos: picos, cachedInputPicos: picos, cacheWritePicos: picos, outputPicos: picos, reasoningPicos: picos };
  return { ...modelWith({}), prices: [makePrice({ effectiveAtMs: 0, source: "operator", rates, tiers: [] })], ...some };
};
const cached = (pricePercent: number): Model => priced(2, { cache: { ttlSeconds: 60, pricePercent } });
const free: Model = { ...modelWith({}), prices: [FREE] };

test("no hold is below the minimum cost, whatever the body is", () => {
  const body = fc.record({ n: fc.integer({ min: 1, max: 4 }), max_tokens: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }) });
  const prompt = fc.record({
    textBytes: fc.integer({ min: 1, max: 3_000_000 }),
    mediaTokens: fc.nat(9),
    derivation: fc.constant(undefined),
  });
  const property = fc.property(prompt, body, models, prices, (size, fields, model, price) => {
    const request = tokenBoundOf(chatOf({ messages: [{ role: "user", content: "hi" }], ...fields }), size, model);
    const { amountNanos } = fullHold({ ...request, requestedOutput: request.requestedOutput ?? 1 }, model, price);
    const { paidNanos, canBeFree } = leastFor(0n, { ...model, prices: [price] });
    if (amountNanos === 0n) expect(canBeFree).toBe(true);
    else expect(canBeFree || paidNanos! <= amountNanos).toBe(true);
  });
  fc.assert(property, runs(1000));
});

test("the minimum is the cheapest paid model, and free models are reported separately", () => {
  expect(leastFor(0n, priced(5), priced(2), priced(3))).toEqual({ paidNanos: 4000n, canBeFree: false });
  expect(leastFor(0n, free, priced(2))).toEqual({ paidNanos: 4000n, canBeFree: true });
  expect(leastFor(0n)).toEqual({ paidNanos: undefined, canBeFree: false });
});

test("the minimum of a model with a response cache is the cost of a cached response", () => {
  expect(leastFor(0n, cached(50))).toEqual({ paidNanos: 1000n, canBeFree: false });
  expect(leastFor(0n, cached(0))).toEqual({ paidNanos: undefined, canBeFree: true });
});

test("models that the key or its account may not call are ignored, and the search ends at the first affordable one", () => {
  const catalog = new Map([
    ["a", { ...priced(1), id: "a" }],
    ["b", { ...priced(2), id: "b" }],
    ["c", { ...priced(3), id: "c" }],
  ]);
  expect(minimumCost({ models: ["b", "c"] }, { models: ["c", "a"] }, 0n, catalog, 1).paidNanos).toBe(6000n);
  const seen: string[] = [];
  const watched = { models: ["*"] };
  const counting = new Map(
    [...catalog].map(([id, model]) => [id, Object.defineProperty({ ...model }, "prices", { get: () => (seen.push(id), model.prices) })]),
  );
  expect(minimumCost(watched, watched, 10n ** 9n, counting, 1).paidNanos).toBe(2000n);
  expect(new Set(seen)).toEqual(new Set(["a"]));
});
