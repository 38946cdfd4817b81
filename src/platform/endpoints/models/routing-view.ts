import { parameterPolicySchema, unknownParametersSchema } from "../../../models/parameters/parameter-policy.ts";
import { priceSchema } from "./price-view.ts";
import { FALLBACK_CONDITIONS } from "../../../models/fallbacks.ts";
import { SELECTIONS } from "../../../models/selection.ts";
import { EXCLUSIONS } from "../../../models/route-exclusion.ts";
import { ANYTHING, type Schema } from "../../../lib/schema/schema.ts";

export const forOperators = "Shown to operators.";

const dollars = { type: "number", nullable: true } as const satisfies Schema;
const ms = { type: "integer", description: "Milliseconds." } as const satisfies Schema;

const routeSchema = {
  title: "Route",
  type: "object",
  required: ["upstream", "model", "priority", "weight", "max_price", "cost", "defaults", "headers", "limits", "excluded"],
  properties: {
    upstream: { type: "string" },
    model: { type: "string", description: "The upstream model." },
    priority: { type: "integer", description: "The priority. Routes with the lowest number are used first; the others are for failover." },
    weight: {
      type: "integer",
      description: "The load-balancing weight among routes of the same priority; 0 for a drained route, which gets no calls.",
    },
    max_price: {
      title: "PriceCapOrNull",
      type: "object",
      nullable: true,
      required: ["input_per_million", "output_per_million"],
      description: "The price cap: the route is used only up to this list price, in dollars per million tokens.",
      properties: { input_per_million: dollars, output_per_million: dollars },
    },
    cost: {
      ...priceSchema,
      title: "RouteCost",
      nullable: true,
      description: "The price that the provider charges you; null for its list price, or when it is unknown.",
    },
    defaults: {
      type: "object",
      additionalProperties: ANYTHING,
      description: "The parameters that are added to requests without them.",
    },
    headers: { type: "array", items: { type: "string" }, description: "The names of added request headers. Their values are never shown." },
    limits: {
      title: "RouteLimitsOrNull",
      type: "object",
      nullable: true,
      required: ["requests_per_minute", "tokens_per_minute"],
      description: "The rate limits of the route. Requests beyond them go to the next route.",
      properties: { requests_per_minute: { type: "integer", nullable: true }, tokens_per_minute: { type: "integer", nullable: true } },
    },
    excluded: {
      type: "string",
      nullable: true,
      enum: EXCLUSIONS,
      description: "The reason why the route is excluded: a weight of 0, or `max_price`.",
    },
  },
} as const satisfies Schema;

/** The access, routing and caching of a model, as the API returns it. */
export const routingSchemas = {
  accounts: {
    type: "array",
    items: { type: "string" },
    nullable: true,
    description: `The accounts that may call it; null for every account. ${forOperators}`,
  },
  routes: { type: "array", items: routeSchema, description: `The routes, with the upstream model of each. ${forOperators}` },
  parameters: { ...parameterPolicySchema, description: `The handling of parameters, by name. ${forOperators}` },
  unknown_parameters: {
    ...unknownParametersSchema,
    nullable: true,
    description: `The handling of unknown parameters; null for the upstream's setting. ${forOperators}`,
  },
  timeouts: {
    title: "Timeouts",
    type: "object",
    description: `Timeouts that override those of the upstream. ${forOperators}`,
    properties: { connect_ms: ms, first_byte_ms: ms, between_chunks_ms: ms, non_streamed_ms: ms, total_ms: ms },
  },
  sticky: {
    type: "boolean",
    nullable: true,
    description: `Session affinity: whether a conversation stays on one upstream; null to enable it where cached input is cheaper. ${forOperators}`,
  },
  selection: {
    type: "string",
    enum: SELECTIONS,
    description: `How a route is selected among the ready ones of a priority. ${forOperators}`,
  },
  cache: {
    title: "ResponseCacheOrNull",
    type: "object",
    nullable: true,
    required: ["ttl_seconds", "price_percent"],
    description: `The response cache; null when it is off. ${forOperators}`,
    properties: { ttl_seconds: { type: "integer" }, price_percent: { type: "integer" } },
  },
  mirror: {
    title: "MirrorOrNull",
    type: "object",
    nullable: true,
    required: ["upstream", "model", "percent"],
    description: `The mirror: the upstream that receives a copy of this percentage of the requests; null without one. ${forOperators}`,
    properties: {
      upstream: { type: "string" },
      model: { type: "string", description: "The upstream model." },
      percent: { type: "number" },
    },
  },
  fallback_models: {
    type: "array",
    description: `The models that serve its requests when it cannot, in order, with the conditions of each. ${forOperators}`,
    items: {
      title: "FallbackModel",
      type: "object",
      required: ["model", "on"],
      properties: { model: { type: "string" }, on: { type: "array", items: { type: "string", enum: FALLBACK_CONDITIONS } } },
    },
  },
} as const satisfies Record<string, Schema>;
