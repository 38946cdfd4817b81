import type { Actor } from "../../../access/access.ts";
import { CAPABILITIES, type Model, type ModelState } from "../../../models/catalog.ts";
import type { Infer } from "../../../lib/schema/infer.ts";
import { isWildcard } from "../../../models/model-id.ts";
import { viewRouting, viewState, type DeclaredModel } from "../../../models/declared-model.ts";
import { viewRoute } from "../../../models/declared-route.ts";
import { exclusionOf } from "../../../models/route-exclusion.ts";
import { priceInForce } from "../../../money/price.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";
import { managedBySchema } from "../fields/managed-by.ts";
import { timeSchema, viewTime } from "../fields/times.ts";
import { viewPrice } from "../../../money/view-price.ts";
import { forOperators, routingSchemas } from "./routing-view.ts";
import { priceSchema } from "./price-view.ts";

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
      description: `The models that a wildcard model stands for: those that its upstreams list, and that have a price. ${forOperators}`,
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

/** A model as the API returns it. Routes and decisions are shown to operators only. */
export function viewModel(model: Model, actor: Actor, platform: Platform): Infer<typeof modelSchema> {
  const nowMs = platform.nowMs();
  const price = priceInForce(model.prices, nowMs);
  const deprecated = model.state.name === "available" ? undefined : platform.catalog.firstAnnouncement(model.id, "deprecated");
  const retired = model.state.name === "retired" ? platform.catalog.firstAnnouncement(model.id, "retired") : undefined;
  const forEverybody = {
    id: model.id,
    owned_by: model.ownedBy,
    created_at: viewTime(model.createdSeconds * 1000),
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
