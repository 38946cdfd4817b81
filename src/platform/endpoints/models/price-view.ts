import { namesOf } from "../../../lib/schema/infer.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema } from "../fields/times.ts";

const rate = { type: "number", description: "Dollars per million tokens." } as const satisfies Schema;

const rateSchemas = {
  input_per_million: rate,
  cached_input_per_million: rate,
  cache_write_per_million: rate,
  output_per_million: rate,
  reasoning_per_million: rate,
} as const;

export const priceSchema = {
  title: "Price",
  type: "object",
  required: ["version", "effective_at", "source", "price_list", "tiers", ...namesOf(rateSchemas)],
  properties: {
    version: { type: "string", description: "The price version, as recorded in ledger entries and receipts." },
    effective_at: timeSchema,
    source: { type: "string", description: "The source of the price: the operator, or the published prices that come with Tollgate." },
    price_list: {
      type: "string",
      nullable: true,
      description: "The price list that it belongs to; null for the base price of a model.",
    },
    ...rateSchemas,
    tiers: {
      type: "array",
      items: {
        title: "PriceTier",
        type: "object",
        required: ["above_input_tokens", ...namesOf(rateSchemas)],
        properties: { above_input_tokens: { type: "integer" }, ...rateSchemas },
      },
      description: "Rates for the whole request above a number of input tokens.",
    },
  },
} as const satisfies Schema;
