import type { Infer } from "../lib/schema/infer.ts";
import type { MaxPrice, Route } from "./catalog.ts";
import { declaredPriceSchema, perMillion, toPicos, toPrice } from "../money/declared-price.ts";
import { defaultParametersSchema, toDefaults } from "./parameters/default-parameters.ts";
import { plainTextSchema } from "../lib/schema/plain-text.ts";
import { byName, type RateLimits, readRates, WINDOW_LIMITS } from "../money/limits.ts";
import type { Price } from "../money/price.ts";
import type { Fail, Path, Schema } from "../lib/schema/schema.ts";
import { headersSchema, namesOfHeaders, toHeaders, type DeclaredHeaders } from "./headers/secret-headers.ts";
import { viewPrice } from "../money/view-price.ts";

/** The limit bounds the cost of choosing a route. */
export const MAX_ROUTES = 64;

const limitSchema = { type: "integer", minimum: 1, maximum: 1_000_000_000 } as const satisfies Schema;

export const declaredRoutesSchema = {
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
      defaults: defaultParametersSchema,
      headers: headersSchema,
      limits: {
        title: "RouteLimitsInput",
        type: "object",
        form: "{ requests_per_minute: 60 }",
        additionalProperties: false,
        properties: byName(WINDOW_LIMITS, () => limitSchema),
      },
    },
  },
} as const satisfies Schema;

/** A route in a config file or a request. Headers that were parsed earlier are secrets. */
export type DeclaredRoute = Omit<Infer<typeof declaredRoutesSchema.items>, "headers"> & { readonly headers?: DeclaredHeaders };

type DeclaredRouteLimits = NonNullable<DeclaredRoute["limits"]>;
type DeclaredMaxPrice = NonNullable<DeclaredRoute["max_price"]>;

/** The parsed declaration. `hasOutput`: whether its model has output tokens, so that a cost needs their rate. */
export function toRoute(declared: DeclaredRoute, publishedPrices: readonly Price[], path: Path, fail: Fail, hasOutput: boolean): Route {
  const { upstream, model, priority = 1, weight = 1, max_price: maxPrice, cost, defaults } = declared;
  const headers = toHeaders(declared.headers, [...path, "headers"], fail);
  return {
    upstream,
    upstreamModel: model,
    priority,
    weight,
    maxPrice: maxPrice && toMaxPrice(maxPrice, [...path, "max_price"], fail),
    publishedPrices,
    cost: cost && toPrice(cost, [...path, "cost"], fail, hasOutput),
    ...(defaults && { defaults: toDefaults(defaults, [...path, "defaults"], fail) }),
    ...(headers && { headers }),
    ...(declared.limits && { limits: toLimits(declared.limits, [...path, "limits"], fail) }),
  };
}

/** The inverse of `toRoute`: a route as the API returns it. */
export function viewRoute({ upstream, upstreamModel, priority, weight, maxPrice, cost, defaults = {}, headers, limits }: Route) {
  return {
    upstream,
    model: upstreamModel,
    priority,
    weight,
    max_price: maxPrice ? { input_per_million: toDollars(maxPrice.inputPicos), output_per_million: toDollars(maxPrice.outputPicos) } : null,
    cost: cost ? viewPrice(cost) : null,
    defaults,
    headers: namesOfHeaders(headers),
    limits: limits ? byName(WINDOW_LIMITS, (at) => limits.amounts[at]!) : null,
  };
}

function toLimits(declared: DeclaredRouteLimits, path: Path, fail: Fail): RateLimits {
  if (Object.keys(declared).length === 0) return fail(path, "must set at least one limit");
  return readRates(declared);
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
