import type { Price, Rates } from "../../../vocabulary/price.ts";
import type { Schema } from "../../../vocabulary/schema.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

const rate: Schema = { type: "number", description: "Dollars for a million tokens." };

const rateSchemas = {
  input_per_million: rate,
  cached_input_per_million: rate,
  cache_write_per_million: rate,
  output_per_million: rate,
  reasoning_per_million: rate,
} as const;

export const priceSchema: Schema = {
  title: "Price",
  type: "object",
  required: ["version", "effective_at", "source", "tiers", ...Object.keys(rateSchemas)],
  properties: {
    version: { type: "string", description: "Names these rates. Entries and receipts do." },
    effective_at: timeSchema,
    source: { type: "string", description: "Who set it: the operator, or the list that comes with Tollgate." },
    ...rateSchemas,
    tiers: {
      type: "array",
      items: { type: "object", properties: { above_input_tokens: { type: "integer" }, ...rateSchemas } },
      description: "Other rates for the whole request, above so many input tokens.",
    },
  },
};

/** A price as the platform shows it, in dollars per million tokens. */
export function viewPrice({ version, effectiveAtMs, source, rates, tiers }: Price): Record<string, unknown> {
  return {
    version,
    effective_at: viewTime(effectiveAtMs),
    source,
    ...viewRates(rates),
    tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, ...viewRates(tier.rates) })),
  };
}

function viewRates(rates: Rates): Record<string, number> {
  return {
    input_per_million: perMillion(rates.inputPicos),
    cached_input_per_million: perMillion(rates.cachedInputPicos),
    cache_write_per_million: perMillion(rates.cacheWritePicos),
    output_per_million: perMillion(rates.outputPicos),
    reasoning_per_million: perMillion(rates.reasoningPicos),
  };
}

/** A pico-dollar for a token is a millionth of a dollar for a million of them. */
export function perMillion(picos: bigint): number {
  return Number(picos) / 1_000_000;
}
