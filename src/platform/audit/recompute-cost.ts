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
    if ((usage.premium?.largestPrompt ?? usage.promptTokens) <= tier.aboveInputTokens || tier.aboveInputTokens < threshold) continue;
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
  picos = withPremium(picos, usage, price, rates);
  const whole = picos / 1000n;
  return whole * 1000n === picos ? whole : whole + 1n;
}

function withPremium(picos: bigint, { premium }: Usage, { multipliers = {}, toolFees = {} }: Price, rates: Rates): bigint {
  if (!premium) return picos;
  const { cacheWriteHourPicos: forHour = rates.cacheWritePicos } = rates;
  let total = picos + BigInt(premium.hourWriteTokens) * forHour - BigInt(premium.hourWriteTokens) * rates.cacheWritePicos;
  let divisor = 1n;
  for (const name of premium.multipliers) {
    total *= Object.hasOwn(multipliers, name) ? multipliers[name]! : 1_000_000n;
    divisor *= 1_000_000n;
  }
  total = total % divisor === 0n ? total / divisor : total / divisor + 1n;
  for (const [tool, calls] of Object.entries(premium.toolCalls)) {
    if (Object.hasOwn(toolFees, tool)) total += toolFees[tool]! * BigInt(calls);
  }
  return total;
}

/** The problem with token counts as text; undefined if they are valid. */
export function faultInUsage(usage: Usage): string | undefined {
  const { premium, ...counts } = usage;
  const { hourWriteTokens = 0, toolCalls = {} } = premium ?? {};
  for (const [name, count] of Object.entries({ ...counts, hourWriteTokens, ...toolCalls })) {
    if (!Number.isSafeInteger(count) || count < 0) return `${name} of ${count}`;
  }
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = counts;
  if (hourWriteTokens > cacheWriteTokens)
    return `${hourWriteTokens} written to a cache for an hour, of ${cacheWriteTokens} written to a cache`;
  if (cachedTokens + cacheWriteTokens > promptTokens) {
    return `${cachedTokens} cached and ${cacheWriteTokens} written to a cache, of ${promptTokens} in the prompt`;
  }
  if (reasoningTokens > completionTokens) return `${reasoningTokens} of reasoning, of ${completionTokens} in the answer`;
  return undefined;
}

/** The expected version of a price: a hash of its content, so that a price cannot be changed unnoticed. */
export function versionOf({ version, effectiveAtMs, rates, tiers, multipliers, toolFees, priceList }: Price): string {
  const isFree = version === "free" && tiers.length === 0 && inOrder(rates).every((rate) => rate === "0");
  if (isFree) return version;
  const says: unknown[] = [effectiveAtMs, inOrder(rates), tiers.map((tier) => [tier.aboveInputTokens, inOrder(tier.rates)])];
  if (priceList !== undefined) says.push(priceList);
  if (multipliers !== undefined || toolFees !== undefined) says.push([byName(multipliers), byName(toolFees)]);
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(says)).digest("hex").slice(0, 16);
}

function inOrder(rates: Rates): string[] {
  return ratesIn(rates).map(String);
}

function ratesIn({ inputPicos, cachedInputPicos, cacheWritePicos, outputPicos, reasoningPicos, cacheWriteHourPicos }: Rates): bigint[] {
  const rates = [inputPicos, cachedInputPicos, cacheWritePicos, outputPicos, reasoningPicos];
  if (cacheWriteHourPicos !== undefined) rates.push(cacheWriteHourPicos);
  return rates;
}

function byName(values: Readonly<Record<string, bigint>> | undefined): string[][] {
  const entries = Object.entries(values ?? {}).map(([name, value]) => [name, value.toString()]);
  return entries.toSorted(([one], [other]) => (one! < other! ? -1 : 1));
}

/** Whether each rate is this percentage of the base price's rate, at the same tiers, rounded up to a whole pico-dollar. */
export function isPercentOf(price: Price, base: Price, percent: number): boolean {
  const isPartOf = (part: bigint, whole: bigint | undefined): boolean => {
    const exact = (whole ?? -1n) * BigInt(percent);
    return part * 100n >= exact && part * 100n - exact < 100n;
  };
  const isPart = (rates: Rates, whole: Rates): boolean => ratesIn(rates).every((rate, at) => isPartOf(rate, ratesIn(whole)[at]));
  if (price.tiers.length !== base.tiers.length || !isPart(price.rates, base.rates)) return false;
  const { toolFees = {} } = price;
  if (Object.keys(toolFees).some((tool) => !isPartOf(toolFees[tool]!, base.toolFees?.[tool]))) return false;
  return price.tiers.every(({ aboveInputTokens, rates }, at) => {
    const tier = base.tiers[at]!;
    return aboveInputTokens === tier.aboveInputTokens && isPart(rates, tier.rates);
  });
}
