import type { MaxPrice, Route } from "./catalog.ts";
import { declaredPriceSchema, perMillion, toPicos, toPrice, type DeclaredPrice } from "../money/declared-price.ts";
import { plainTextSchema } from "../lib/schema/plain-text.ts";
import type { Price } from "../money/price.ts";
import type { Fail, Path, Schema } from "../lib/schema/schema.ts";
import { viewPrice } from "../money/view-price.ts";

/** Bounds the cost of choosing a route. */
export const MAX_ROUTES = 64;

export const declaredRoutesSchema: Schema = {
  type: "array",
  minItems: 1,
  maxItems: MAX_ROUTES,
  items: {
    title: "RouteInput",
    type: "object",
    form: "{ upstream: openai, model: gpt-4o-mini }",
    additionalProperties: false,
    required: ["upstream", "model"],
    properties: {
      upstream: { type: "string" },
      model: { ...plainTextSchema, minLength: 1 },
      priority: { type: "integer", minimum: 1, maximum: 1000 },
      weight: { type: "integer", minimum: 0, maximum: 1000 },
      max_price: {
        title: "PriceCapInput",
        type: "object",
        form: "{ input_per_million: 2.5 }",
        additionalProperties: false,
        properties: { input_per_million: perMillion, output_per_million: perMillion },
      },
      cost: declaredPriceSchema,
    },
  },
};

/** A route in a config file or a request. */
export interface DeclaredRoute {
  readonly upstream: string;
  readonly model: string;
  readonly priority?: number;
  readonly weight?: number;
  readonly max_price?: DeclaredMaxPrice;
  readonly cost?: DeclaredPrice;
}

interface DeclaredMaxPrice {
  readonly input_per_million?: number;
  readonly output_per_million?: number;
}

/** The parsed declaration. */
export function toRoute(declared: DeclaredRoute, publishedPrices: readonly Price[], path: Path, fail: Fail): Route {
  const { upstream, model, priority = 1, weight = 1, max_price: maxPrice, cost } = declared;
  return {
    upstream,
    upstreamModel: model,
    priority,
    weight,
    maxPrice: maxPrice && toMaxPrice(maxPrice, [...path, "max_price"], fail),
    publishedPrices,
    cost: cost && toPrice(cost, [...path, "cost"], fail),
  };
}

/** The inverse: a route as the API returns it. */
export function viewRoute({ upstream, upstreamModel, priority, weight, maxPrice, cost }: Route): Record<string, unknown> {
  return {
    upstream,
    model: upstreamModel,
    priority,
    weight,
    max_price: maxPrice ? { input_per_million: toDollars(maxPrice.inputPicos), output_per_million: toDollars(maxPrice.outputPicos) } : null,
    cost: cost ? viewPrice(cost) : null,
  };
}

function toMaxPrice(declared: DeclaredMaxPrice, path: Path, fail: Fail): MaxPrice {
  const { input_per_million: input, output_per_million: output } = declared;
  if (input === undefined && output === undefined) return fail(path, "names no price");
  const picosOf = (dollars: number | undefined, name: string): bigint | undefined =>
    dollars === undefined ? undefined : toPicos(dollars, () => fail([...path, name], "has more than six decimals"));
  return { inputPicos: picosOf(input, "input_per_million"), outputPicos: picosOf(output, "output_per_million") };
}

function toDollars(picos: bigint | undefined): number | null {
  return picos === undefined ? null : Number(picos) / 1_000_000;
}
