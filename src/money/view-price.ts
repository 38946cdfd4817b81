import { mapValues, type Price, type Rates } from "./price.ts";

/** A price as the platform returns it, in dollars per million tokens. */
export function viewPrice({ version, effectiveAtMs, source, rates, tiers, multipliers = {}, toolFees = {}, priceList }: Price) {
  return {
    version,
    effective_at: new Date(effectiveAtMs).toISOString(),
    source,
    price_list: priceList ?? null,
    ...viewRates(rates),
    tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, ...viewRates(tier.rates) })),
    multipliers: mapValues(multipliers, perMillion),
    tool_fees: mapValues(toolFees, (picos) => perMillion(picos) / 1_000_000),
  };
}

function viewRates(rates: Rates) {
  return {
    input_per_million: perMillion(rates.inputPicos),
    cached_input_per_million: perMillion(rates.cachedInputPicos),
    cache_write_per_million: perMillion(rates.cacheWritePicos),
    ...(rates.cacheWriteHourPicos !== undefined && { cache_write_1h_per_million: perMillion(rates.cacheWriteHourPicos) }),
    output_per_million: perMillion(rates.outputPicos),
    reasoning_per_million: perMillion(rates.reasoningPicos),
  };
}

/** One pico-dollar per token is one millionth of a dollar per million tokens. */
export function perMillion(picos: bigint): number {
  return Number(picos) / 1_000_000;
}
