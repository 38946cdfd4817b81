import * as fc from "fast-check";
import type { DeclaredPrice as AnyDeclaredPrice } from "../../src/money/declared-price.ts";
import type { Usage } from "../../src/money/usage.ts";

/** Prices as declared in requests, with every rate, and their resulting cost. */

type Rates = Required<Pick<AnyDeclaredPrice, "input_per_million" | "output_per_million">> & {
  readonly cached_input_per_million: number;
  readonly cache_write_per_million: number;
  readonly reasoning_per_million: number;
};

export type DeclaredPrice = Rates & { readonly tiers?: readonly (Rates & { readonly above_input_tokens: number })[] };

/** The smallest step of a rate: a millionth of a dollar per million tokens. */
const rate = fc.integer({ min: 0, max: 5_000_000 }).map((millionths) => millionths / 1_000_000);

const rates: fc.Arbitrary<Rates> = fc.record({
  input_per_million: rate,
  output_per_million: rate,
  cached_input_per_million: rate,
  cache_write_per_million: rate,
  reasoning_per_million: rate,
});

export const prices: fc.Arbitrary<DeclaredPrice> = fc
  .tuple(rates, fc.option(fc.tuple(fc.integer({ min: 1, max: 500 }), rates)))
  .map(([base, tier]) => ({ ...base, ...(tier && { tiers: [{ above_input_tokens: tier[0], ...tier[1] }] }) }));

/** The cost of a response in nano-dollars at a percentage of each rate, rounded up once per rate and once in total. */
export function naiveCost(usage: Usage, price: DeclaredPrice, percent: number): bigint {
  const of = price.tiers?.find((tier) => usage.promptTokens > tier.above_input_tokens) ?? price;
  const picos = (perMillion: number): bigint => (BigInt(Math.round(perMillion * 1_000_000)) * BigInt(percent) + 99n) / 100n;
  const all =
    BigInt(usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens) * picos(of.input_per_million) +
    BigInt(usage.cachedTokens) * picos(of.cached_input_per_million) +
    BigInt(usage.cacheWriteTokens) * picos(of.cache_write_per_million) +
    BigInt(usage.completionTokens - usage.reasoningTokens) * picos(of.output_per_million) +
    BigInt(usage.reasoningTokens) * picos(of.reasoning_per_million);
  return (all + 999n) / 1000n;
}
