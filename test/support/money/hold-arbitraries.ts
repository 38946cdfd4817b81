import * as fc from "fast-check";
import { plainModel, type Model } from "../../../src/models/catalog.ts";
import { makePrice, type Price } from "../../../src/money/price.ts";
import type { TokenBound } from "../../../src/gateway/admission/cost-bound.ts";

/** Arbitrary requests, models and prices to test holds with. */

export function modelWith(some: { contextWindow?: number; maxOutputTokens?: number | undefined }): Model {
  const { contextWindow, maxOutputTokens } = some;
  return { ...plainModel("m", { upstream: "u", upstreamModel: "m" }), contextWindow, maxOutputTokens };
}

export const models: fc.Arbitrary<Model> = fc
  .option(fc.integer({ min: 1, max: 200_000 }), { nil: undefined })
  .map((maxOutputTokens) => modelWith({ maxOutputTokens }));

/** Requests that set no limit can be shortened in some formats. */
export const tokenBounds: fc.Arbitrary<TokenBound> = fc
  .record({
    inputTokens: fc.oneof(fc.integer({ min: 1, max: 2_000_000 }), fc.integer({ min: 1, max: 100 })),
    choices: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 128 })),
    requestedOutput: fc.option(fc.oneof(fc.integer({ min: 1, max: 300_000 }), fc.integer({ min: 1, max: 50 })), { nil: undefined }),
    leastOutput: fc.oneof({ arbitrary: fc.constant(1), weight: 9 }, fc.constant(16)),
    isShortenable: fc.oneof({ arbitrary: fc.constant(true), weight: 3 }, fc.constant(false)),
    feeNanos: fc.oneof({ arbitrary: fc.constant(0n), weight: 9 }, fc.bigInt({ min: 0n, max: 1_000_000_000n })),
    limitName: fc.constant("max_tokens"),
  })
  .map((bound) => ({ ...bound, isShortenable: bound.isShortenable && bound.requestedOutput === undefined }));

/** Up to a thousand dollars per million tokens, with steps below a nano-dollar per token. */
const picos = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.bigInt({ min: 0n, max: 3000n }), fc.constant(0n));

const rates = fc.record({ inputPicos: picos, cachedInputPicos: picos, cacheWritePicos: picos, outputPicos: picos, reasoningPicos: picos });

export const prices: fc.Arbitrary<Price> = fc
  .tuple(rates, fc.option(fc.tuple(fc.integer({ min: 1, max: 200 }), rates)))
  .map(([base, tier]) =>
    makePrice({
      effectiveAtMs: 0,
      source: "operator",
      rates: base,
      tiers: tier ? [{ aboveInputTokens: tier[0], rates: tier[1] }] : [],
    }),
  );
