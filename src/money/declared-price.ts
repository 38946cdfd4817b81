import { parseIsoDate } from "../lib/time/iso-date.ts";
import { FREE, makePrice, mapValues, MILLION, type Price, type Rates } from "./price.ts";
import type { Infer } from "../lib/schema/infer.ts";
import type { Fail, Path, Schema } from "../lib/schema/schema.ts";

/** Dollars per million tokens. A value above the maximum is probably in the wrong unit. */
export const perMillion = { type: "number", minimum: 0, maximum: 1_000_000 } as const satisfies Schema;

const rates = {
  input_per_million: perMillion,
  output_per_million: perMillion,
  cached_input_per_million: perMillion,
  cache_write_per_million: perMillion,
  cache_write_1h_per_million: perMillion,
  reasoning_per_million: perMillion,
} as const satisfies Record<string, Schema>;

/** Names of options and tools: values of fields such as `speed`, and types of tools without their version. */
const optionNames = {
  type: "string",
  pattern: "^[a-z][a-z0-9_-]{0,63}$",
  patternInWords: "a name such as web_search",
} as const satisfies Schema;

/** A price in a config file or a request. */
export const declaredPriceSchema = {
  title: "PriceInput",
  type: "object",
  form: "{ input_per_million: 2.5, output_per_million: 10 }",
  additionalProperties: false,
  required: ["input_per_million"],
  properties: {
    ...rates,
    multipliers: {
      type: "object",
      form: "{ fast: 6 }",
      description:
        "Factors of all rates for options of a request: the value of `speed`, `inference_geo` or `service_tier`. Others are refused.",
      propertyNames: optionNames,
      maxProperties: 50,
      additionalProperties: { type: "number", minimum: 0, maximum: 1000 },
    },
    tool_fees: {
      type: "object",
      form: "{ web_search: 0.01 }",
      description: "Dollars for each call of a tool that runs at the provider, by its type without a version. Others are refused.",
      propertyNames: optionNames,
      maxProperties: 50,
      additionalProperties: { type: "number", minimum: 0, maximum: 1000 },
    },
    effective: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$", patternInWords: "a day such as 2027-01-31" },
    tiers: {
      type: "array",
      items: {
        title: "PriceTierInput",
        type: "object",
        additionalProperties: false,
        required: ["above_input_tokens", "input_per_million"],
        properties: { above_input_tokens: { type: "integer", minimum: 1 }, ...rates },
      },
    },
  },
} as const satisfies Schema;

export type DeclaredPrice = Infer<typeof declaredPriceSchema>;

/** Dollars per million tokens of each kind. */
export type DeclaredRates = Omit<DeclaredPrice, "effective" | "tiers" | "multipliers" | "tool_fees">;

/** The fields that can set a model's price. At most one of them may be used. */
export const pricingProperties = {
  free: { type: "boolean" },
  price: declaredPriceSchema,
  prices: { type: "array", minItems: 1, items: declaredPriceSchema },
} as const satisfies Record<string, Schema>;

export type Pricing = { readonly [Name in keyof typeof pricingProperties]?: Infer<(typeof pricingProperties)[Name]> };

/**
 * The declared prices, by effective date; undefined if there are none. `hasOutput`: whether the model has output tokens, so that their rate
 * is required.
 */
export function declaredPrices(pricing: Pricing, fail: Fail, hasOutput = true): readonly Price[] | undefined {
  const given = [pricing.free && "free", pricing.price && "price", pricing.prices && "prices"].filter((name) => typeof name === "string");
  if (given.length > 1) fail([given[1]!], `cannot be combined with ${given[0]}`);
  if (pricing.free) return [FREE];
  if (pricing.price) return [toPrice(pricing.price, ["price"], fail, hasOutput)];
  return pricing.prices && inOrder(pricing.prices, fail, hasOutput);
}

function inOrder(declared: readonly DeclaredPrice[], fail: Fail, hasOutput: boolean): readonly Price[] {
  const prices = declared.map((each, at) => toPrice(each, ["prices", at], fail, hasOutput));
  prices.forEach((price, at) => {
    const before = prices[at - 1];
    if (before && price.effectiveAtMs <= before.effectiveAtMs)
      fail(["prices", at, "effective"], "must be later than the effective date of the price before it");
  });
  return prices;
}

/** The parsed price. */
export function toPrice(declared: DeclaredPrice, path: Path, fail: Fail, hasOutput = true): Price {
  const effectiveAtMs = declared.effective === undefined ? 0 : parseIsoDate(declared.effective);
  if (effectiveAtMs === undefined) return fail([...path, "effective"], "is not a day of the calendar");
  const tiers = (declared.tiers ?? []).map((tier, at) => ({
    aboveInputTokens: tier.above_input_tokens,
    rates: toRates(tier, [...path, "tiers", at], fail, hasOutput),
  }));
  tiers.forEach((tier, at) => {
    const before = tiers[at - 1];
    if (before && tier.aboveInputTokens <= before.aboveInputTokens) {
      fail([...path, "tiers", at, "above_input_tokens"], "must be more than in the tier before it");
    }
  });
  const { multipliers, tool_fees: toolFees } = declared;
  return makePrice({
    effectiveAtMs,
    source: "operator",
    rates: toRates(declared, path, fail, hasOutput),
    tiers,
    ...(multipliers && { multipliers: toMillionths(multipliers, [...path, "multipliers"], fail) }),
    ...(toolFees && { toolFees: mapValues(toMillionths(toolFees, [...path, "tool_fees"], fail), (micros) => micros * MILLION) }),
  });
}

function toMillionths(declared: Readonly<Record<string, number>>, path: Path, fail: Fail): Record<string, bigint> {
  const entries = Object.entries(declared);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, toPicos(value, () => fail([...path, name], "has more than six decimals"))]),
  );
}

/** If the rate of a kind is not set, the rate of input or output tokens applies, depending on which of them the kind is part of. */
function toRates(declared: DeclaredRates, path: Path, fail: Fail, hasOutput: boolean): Rates {
  // Without it, output would be free by mistake.
  if (hasOutput && declared.output_per_million === undefined) fail([...path, "output_per_million"], "is required", "missing");
  const picosOf = (name: keyof DeclaredRates, otherwise: bigint): bigint => {
    const dollars = declared[name];
    return dollars === undefined ? otherwise : toPicos(dollars, () => fail([...path, name], "has more than six decimals"));
  };
  const inputPicos = picosOf("input_per_million", 0n);
  const outputPicos = picosOf("output_per_million", 0n);
  const isHourSold = declared.cache_write_1h_per_million !== undefined;
  return {
    inputPicos,
    outputPicos,
    cachedInputPicos: picosOf("cached_input_per_million", inputPicos),
    cacheWritePicos: picosOf("cache_write_per_million", inputPicos),
    ...(isHourSold && { cacheWriteHourPicos: picosOf("cache_write_1h_per_million", 0n) }),
    reasoningPicos: picosOf("reasoning_per_million", outputPicos),
  };
}

/** Converts dollars per million tokens to pico-dollars per token, which must be a whole number. */
export function toPicos(dollars: number, fail: () => never): bigint {
  const picos = Math.round(dollars * 1_000_000);
  if (Math.abs(picos - dollars * 1_000_000) > 1e-6 * Math.max(1, picos)) fail();
  return BigInt(picos);
}
