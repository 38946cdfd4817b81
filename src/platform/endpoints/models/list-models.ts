import { members } from "../../../vocabulary/access.ts";
import type { Model } from "../../../vocabulary/catalog.ts";
import { priceInForce } from "../../../vocabulary/price.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { viewPrice } from "./price-view.ts";

/** GET /api/models: every model there is, with what operators need to know of it. */
export function listModels(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/models",
    access: members("models:read"),
    operationId: "listModels",
    summary: "Lists models.",
    reply: { status: 200, description: "The models." },
    run() {
      const nowMs = platform.nowMs();
      return Response.json({ data: [...platform.catalog.snapshot().values()].map((model) => viewModel(model, nowMs)), next: null });
    },
  });
}

function viewModel(model: Model, nowMs: number): Record<string, unknown> {
  const { state } = model;
  const price = priceInForce(model.prices, nowMs);
  return {
    id: model.id,
    owned_by: model.ownedBy,
    state: state.name,
    shutdown_date: state.name === "deprecated" ? state.shutdownDate : null,
    replacement: state.name === "available" ? null : state.replacement,
    routes: model.routes.map((route) => ({ upstream: route.upstream, model: route.upstreamModel })),
    price: price ? viewPrice(price) : null,
    coming_prices: model.prices.filter((each) => each.effectiveAtMs > nowMs).map(viewPrice),
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
  };
}
