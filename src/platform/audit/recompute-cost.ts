import type { Price, Rates } from "../../money/price.ts";
import type { Usage } from "../../money/usage.ts";

/**
 * Recomputes the cost of a response from its price: tokens of each kind times their rate, at the tier of its prompt, rounded up once to a
 * whole nano-dollar. It shares no code with the code that it checks.
 */
export function recomputeCost(usage: Usage, price: Price): bigint {
  let { rates } = price;
  let threshold = 0;
  for (const tier of price.tiers) {
    if (usage.promptTokens <= tier.aboveInputTokens || tier.aboveInputTokens < threshold) continue;
    ({ rates } = tier);
    threshold = tier.aboveInputTokens;
  }
  const plainInput = BigInt(usage.promptTokens) - BigInt(usage.cachedTokens) - BigInt(usage.cacheWriteTokens);
  const plainOutput = BigInt(usage.completionTokens) - BigInt(usage.reasoningTokens);
  let picos = plainInput * rates.inputPicos;
  picos += BigInt(usage.cachedTokens) * rates.cachedInputPicos;
  picos += BigInt(usage.cacheWriteTokens) * rates.cacheWritePicos;
  picos += plainOutput * rates.outputPicos;
  picos += BigInt(usage.reasoningTokens) * rates.reasoningPicos;
  const whole = picos / 1000n;
  return whole * 1000n === picos ? whole : whole + 1n;
}

/** The problem with token counts as text; undefined if they are valid. */
export function faultInUsage(usage: Usage): string | undefined {
  for (const [name, count] of Object.entries(usage) as [keyof Usage, number][]) {
    if (!Number.isSafeInteger(count) || count < 0) return `${name} of ${count}`;
  }
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage;
  if (cachedTokens + cacheWriteTokens > promptTokens) {
    return `${cachedTokens} cached and ${cacheWriteTokens} written to a cache, of ${promptTokens} in the prompt`;
  }
  if (reasoningTokens > completionTokens) return `${reasoningTokens} of reasoning, of ${completionTokens} in the answer`;
  return undefined;
}

/** The expected version of a price: a hash of its content, so that a price cannot be changed unnoticed. */
export function versionOf({ version, effectiveAtMs, rates, tiers, priceList }: Price): string {
  const isFree = version === "free" && tiers.length === 0 && inOrder(rates).every((rate) => rate === "0");
  if (isFree) return version;
  const says: unknown[] = [effectiveAtMs, inOrder(rates), tiers.map((tier) => [tier.aboveInputTokens, inOrder(tier.rates)])];
  if (priceList !== undefined) says.push(priceList);
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(says)).digest("hex").slice(0, 16);
}

function inOrder(rates: Rates): string[] {
  return ratesIn(rates).map(String);
}

function ratesIn({ inputPicos, cachedInputPicos, cacheWritePicos, outputPicos, reasoningPicos }: Rates): bigint[] {
  return [inputPicos, cachedInputPicos, cacheWritePicos, outputPicos, reasoningPicos];
}

/** Whether each rate is this percentage of the base price's rate, at the same tiers, rounded up to a whole pico-dollar. */
export function isPercentOf(price: Price, base: Price, percent: number): boolean {
  const isPart = (rates: Rates, whole: Rates): boolean =>
    ratesIn(rates).every((rate, at) => {
      const exact = ratesIn(whole)[at]! * BigInt(percent);
      return rate * 100n >= exact && rate * 100n - exact < 100n;
    });
  if (price.tiers.length !== base.tiers.length || !isPart(price.rates, base.rates)) return false;
  return price.tiers.every(({ aboveInputTokens, rates }, at) => {
    const tier = base.tiers[at]!;
    return aboveInputTokens === tier.aboveInputTokens && isPart(rates, tier.rates);
  });
}
