import type { Infer } from "../../lib/schema/infer.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import type { Fail, Path, Schema } from "../../lib/schema/schema.ts";
import { parseIsoDate } from "../../lib/time/iso-date.ts";
import { declaredPrices, pricingProperties, type Pricing } from "../../money/declared-price.ts";
import { makePrice, type Price } from "../../money/price.ts";
import { viewPrice } from "../../money/view-price.ts";
import { idSchema } from "../declared-upstream.ts";
import type { DatedPercent, PriceList } from "./price-list.ts";
import { daySchema } from "../../lib/schema/text-schema.ts";

/** Valid price list ids: short, and safe in a URL path. */
export const priceListIdSchema = {
  type: "string",
  pattern: "^[a-z0-9][a-z0-9._-]{0,62}$",
  patternInWords: "1 to 63 of a-z, 0-9, dot, dash and underscore, with a letter or digit first",
} as const satisfies Schema;

/** Whole percent: 100 is the base price, 0 is free. A value above the maximum is probably a mistake. */
const percentSchema = { type: "integer", minimum: 0, maximum: 1000 } as const satisfies Schema;

/** The fields of a price list that can change. */
export const priceListFields = {
  name: nameSchema,
  percent: {
    ...percentSchema,
    nullable: true,
    description: "The price of models that the list does not name, in percent of their base price. Null for their base price.",
  },
  percents: {
    type: "array",
    minItems: 1,
    maxItems: 100,
    items: {
      title: "DatedPercentInput",
      type: "object",
      form: "{ percent: 80, effective: 2027-01-31 }",
      additionalProperties: false,
      required: ["percent"],
      properties: { percent: percentSchema, effective: daySchema },
    },
    description: "Several percentages with effective dates, instead of `percent`.",
  },
  models: {
    type: "object",
    form: "{ gpt-4o: { price: { input_per_million: 2, output_per_million: 8 } } }",
    propertyNames: idSchema,
    additionalProperties: {
      title: "ListedModelInput",
      type: "object",
      form: "{ price: { input_per_million: 2, output_per_million: 8 } }",
      additionalProperties: false,
      properties: pricingProperties,
    },
    description: "Price overrides by model, declared as in a model: `free`, `price` or `prices`.",
  },
} as const satisfies Record<string, Schema>;

/** A price list in a config file or a request. */
export const declaredPriceListSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "name"],
  properties: { id: priceListIdSchema, ...priceListFields },
} as const satisfies Schema;

export type DeclaredPriceList = Infer<typeof declaredPriceListSchema>;

type DeclaredPercent = NonNullable<DeclaredPriceList["percents"]>[number];

/** The parsed declaration. */
export function toPriceList(declared: DeclaredPriceList, fail: Fail): PriceList {
  const { id, name, models = {} } = declared;
  const prices = Object.entries(models).map(([model, pricing]) => [model, pricesIn(id, model, pricing, fail)] as const);
  const percents = percentsIn(declared, fail);
  if (percents.length === 0 && prices.length === 0) fail(["percent"], "is required on a price list without prices of models");
  return { id, name, percents, prices: new Map(prices) };
}

function pricesIn(priceList: string, model: string, pricing: Pricing, fail: Fail): readonly Price[] {
  const failHere: Fail = (path, message) => fail(["models", model, ...path], message);
  const prices = declaredPrices(pricing, failHere) ?? failHere([], "has no price: set free, price or prices");
  return prices.map((price) => makePrice({ ...price, priceList }));
}

function percentsIn({ percent, percents }: DeclaredPriceList, fail: Fail): readonly DatedPercent[] {
  if (percent != null && percents) fail(["percents"], "cannot be combined with percent");
  if (percent != null) return [{ effectiveAtMs: 0, percent }];
  const dated = (percents ?? []).map((each, at) => toDated(each, ["percents", at], fail));
  dated.forEach(({ effectiveAtMs }, at) => {
    const before = dated[at - 1];
    if (before && effectiveAtMs <= before.effectiveAtMs)
      fail(["percents", at, "effective"], "must be later than the effective date of the percentage before it");
  });
  return dated;
}

function toDated({ percent, effective }: DeclaredPercent, path: Path, fail: Fail): DatedPercent {
  const effectiveAtMs = effective === undefined ? 0 : parseIsoDate(effective);
  return effectiveAtMs === undefined ? fail([...path, "effective"], "is not a day of the calendar") : { effectiveAtMs, percent };
}

/** A price list as the API returns it and the audit log compares it. */
export function viewPriceList({ id, name, percents, prices }: PriceList) {
  return {
    id,
    name,
    percents: percents.map(({ percent, effectiveAtMs }) => ({ percent, effective_at: new Date(effectiveAtMs).toISOString() })),
    models: Object.fromEntries([...prices].map(([model, versions]) => [model, versions.map(viewPrice)])),
  };
}
