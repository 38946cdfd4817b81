import { perTimeout } from "../../models/timeouts.ts";
import { byName, WINDOW_LIMITS } from "../../money/limits.ts";
import { namesOf, type Infer } from "../../lib/schema/infer.ts";
import { type Schema, ANYTHING } from "../../lib/schema/schema.ts";
import { timeSchema, managedBySchema, viewTime } from "./fields.ts";
import { parameterPolicySchema, unknownParametersSchema } from "../../models/parameters/parameter-policy.ts";
import { FALLBACK_CONDITIONS } from "../../models/fallbacks.ts";
import { SELECTIONS } from "../../models/selection.ts";
import { EXCLUSIONS, exclusionOf } from "../../models/route-exclusion.ts";
import type { Actor } from "../../access/access.ts";
import { CAPABILITIES, MODEL_KINDS, type Model, type ModelState } from "../../models/catalog.ts";
import { isWildcard } from "../../models/model-id.ts";
import { viewRouting, viewState, type DeclaredModel } from "../../models/declared-model.ts";
import { viewRoute } from "../../models/declared-route.ts";
import { priceInForce } from "../../money/price.ts";
import type { Platform } from "../platform.ts";
import { viewPrice } from "../../money/view-price.ts";
import type { Pricing } from "../../money/declared-price.ts";

const rate = { type: "number", description: "Dollars per million tokens." } as const satisfies Schema;

const rateSchemas = {
  input_per_million: rate,
  cached_input_per_million: rate,
  cache_write_per_million: rate,
  output_per_million: rate,
  reasoning_per_million: rate,
} as const;

const hourRateSchema = {
  cache_write_1h_per_million: {
    type: "number",
    description: "Dollars per million tokens that are written to a cache for an hour; absent if requests for that are refused.",
  },
} as const;

export const priceSchema = {
  title: "Price",
  type: "object",
  required: ["version", "effective_at", "source", "price_list", "tiers", "multipliers", "tool_fees", ...namesOf(rateSchemas)],
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
    ...hourRateSchema,
    tiers: {
      type: "array",
      items: {
        title: "PriceTier",
        type: "object",
        required: ["above_input_tokens", ...namesOf(rateSchemas)],
        properties: { above_input_tokens: { type: "integer" }, ...rateSchemas, ...hourRateSchema },
      },
      description: "Rates for the whole request above a number of input tokens.",
    },
    multipliers: {
      type: "object",
      additionalProperties: { type: "number" },
      description: "Factors of all rates for options of a request, such as `fast`.",
    },
    tool_fees: {
      type: "object",
      additionalProperties: { type: "number" },
      description: "Dollars for each call of a tool that runs at the provider, such as `web_search`.",
    },
  },
} as const satisfies Schema;

const forOperators = "Shown to operators.";

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
      required: WINDOW_LIMITS.map(({ name }) => name),
      description: "The rate limits of the route. Requests beyond them go to the next route.",
      properties: byName(WINDOW_LIMITS, () => ({ type: "integer", nullable: true }) as const),
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
const routingSchemas = {
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
    description: `Timeouts that override the upstream's timeouts. ${forOperators}`,
    properties: perTimeout(ms),
  },
  sticky: {
    type: "boolean",
    nullable: true,
    description: `Session affinity: whether a conversation stays on one upstream; null to enable it if cached input is cheaper, and for requests of coding agents that are passed on as they are. ${forOperators}`,
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

export const stateSchemas = {
  state: { type: "string", enum: ["available", "deprecated", "retired"] },
  shutdown_date: { type: "string", nullable: true, description: "The planned shutdown date of a deprecated model." },
  replacement: { type: "string", nullable: true, description: "The replacement of a deprecated or retired model." },
} as const satisfies Record<string, Schema>;

export const modelSchema = {
  title: "Model",
  type: "object",
  required: [
    "id",
    "owned_by",
    "created_at",
    "kind",
    "state",
    "shutdown_date",
    "replacement",
    "deprecated_at",
    "retired_at",
    "price",
    "upcoming_prices",
    "context_window",
    "max_output_tokens",
    "capabilities",
  ],
  properties: {
    id: { type: "string", description: "The value of `model` in requests." },
    owned_by: { type: "string" },
    created_at: timeSchema,
    kind: { type: "string", enum: MODEL_KINDS, description: "What the model is for." },
    ...stateSchemas,
    deprecated_at: { ...timeSchema, nullable: true },
    retired_at: { ...timeSchema, nullable: true },
    price: { ...priceSchema, nullable: true, title: "PriceInForce" },
    upcoming_prices: { type: "array", items: priceSchema, description: "Prices that take effect later." },
    context_window: { type: "integer", nullable: true },
    max_output_tokens: { type: "integer", nullable: true },
    capabilities: { type: "array", items: { type: "string", enum: CAPABILITIES } },
    archived_at: { ...timeSchema, nullable: true, description: `Since when it is archived; null when it is not. ${forOperators}` },
    expanded_from: { type: "string", nullable: true, description: `The wildcard model that stands for it. ${forOperators}` },
    expands_to: {
      type: "array",
      items: { type: "string" },
      nullable: true,
      description: `The models of a wildcard model: its upstreams list them, and they have a price. ${forOperators}`,
    },
    managed_by: {
      type: "string",
      enum: ["operator", "file", "environment", "wildcard"],
      description: `${managedBySchema.description} \`wildcard\`: a wildcard model stands for it. ${forOperators}`,
    },
    deprecated_by: { type: "string", nullable: true, description: forOperators },
    retired_by: { type: "string", nullable: true, description: forOperators },
    past_prices: { type: "array", items: priceSchema, description: `Prices that are no longer in force. ${forOperators}` },
    ...routingSchemas,
  },
} as const satisfies Schema;

/** A model as the API returns it. Only operators see routes and operator settings. */
export function viewModel(model: Model, actor: Actor, platform: Platform): Infer<typeof modelSchema> {
  const nowMs = platform.nowMs();
  const price = priceInForce(model.prices, nowMs);
  const deprecated = model.state.name === "available" ? undefined : platform.catalog.firstAnnouncement(model.id, "deprecated");
  const retired = model.state.name === "retired" ? platform.catalog.firstAnnouncement(model.id, "retired") : undefined;
  const forEverybody = {
    id: model.id,
    owned_by: model.ownedBy,
    created_at: viewTime(model.createdSeconds * 1000),
    kind: model.kind,
    ...viewState(model.state),
    deprecated_at: viewTime(deprecated?.atMs ?? null),
    retired_at: viewTime(retired?.atMs ?? null),
    price: price ? viewPrice(price) : null,
    upcoming_prices: model.prices.filter((each) => each.effectiveAtMs > nowMs).map(viewPrice),
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    capabilities: model.capabilities,
  };
  if (actor.role !== "operator") return forEverybody;
  return {
    ...forEverybody,
    archived_at: viewTime(platform.catalog.archivedAtMs(model.id)),
    expanded_from: model.expandedFrom ?? null,
    expands_to: isWildcard(model.id) ? expansionsOf(model, platform) : null,
    managed_by: model.expandedFrom === undefined ? platform.catalog.originOfModel(model.id) : "wildcard",
    deprecated_by: deprecated?.actorName ?? null,
    retired_by: retired?.actorName ?? null,
    past_prices: model.prices.filter((each) => each.effectiveAtMs <= nowMs && each !== price).map(viewPrice),
    ...viewRouting(model),
    routes: model.routes.map((route) => ({ ...viewRoute(route), excluded: exclusionOf(route, nowMs) ?? null })),
  };
}

function expansionsOf({ id }: Model, { catalog }: Platform): string[] {
  return [...catalog.snapshot().values()].filter(({ expandedFrom }) => expandedFrom === id).map((model) => model.id);
}

/** The audited fields of a model. */
export function describeModel(declared: DeclaredModel, state: ModelState) {
  return { ...declared, ...viewState(state) };
}

export const priceChangeSchema = {
  title: "PriceChange",
  type: "object",
  required: ["at", "by", "declared"],
  properties: {
    at: timeSchema,
    by: { type: "string" },
    declared: { type: "object", description: "`free`, `price` or `prices`, as declared; empty for the provider's list prices." },
  },
} as const satisfies Schema;

/** More price changes than any model has. */
const MAX_PRICE_CHANGES = 1000;

/** The history of a model's declared prices from the audit log, newest first. Changes by the config file are not included. */
export async function priceChangesOf(modelId: string, { auditLog }: Platform) {
  const changes = await auditLog.page({ targetKind: "model", targetId: modelId }, Number.MAX_SAFE_INTEGER, MAX_PRICE_CHANGES);
  const changed = changes.filter(({ before, after }) => before === null || !Bun.deepEquals(pricingIn(before), pricingIn(after)));
  return changed.map(({ atMs, actorName, after }) => ({ at: viewTime(atMs), by: actorName, declared: pricingIn(after) }));
}

/** The part of a declaration that sets the price. */
export function pricingIn(declared: Pricing | object | null): Pricing {
  const { free, price, prices } = (declared ?? {}) as Pricing;
  return { ...(free !== undefined && { free }), ...(price && { price }), ...(prices && { prices }) };
}
