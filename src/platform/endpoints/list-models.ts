import type { Endpoint } from "../../http/endpoint.ts";
import type { Model, Price } from "../../vocabulary/catalog.ts";
import type { Platform } from "../platform.ts";

const PICOS_PER_MILLION = 1_000_000;

/** GET /api/models: every model there is, with what operators need to know of it. */
export function listModels(platform: Platform): Endpoint {
  return {
    method: "GET",
    path: "/api/models",
    handle: () => Response.json({ data: [...platform.catalog.snapshot().values()].map(viewModel) }),
  };
}

function viewModel(model: Model): Record<string, unknown> {
  const { state } = model;
  return {
    id: model.id,
    owned_by: model.ownedBy,
    state: state.name,
    shutdown_date: state.name === "deprecated" ? state.shutdownDate : null,
    replacement: state.name === "available" ? null : state.replacement,
    routes: model.routes.map((route) => ({ upstream: route.upstream, model: route.upstreamModel })),
    price: model.price ? viewPrice(model.price) : null,
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
  };
}

function viewPrice(price: Price): Record<string, unknown> {
  return {
    input_per_million: price.inputPicos / PICOS_PER_MILLION,
    output_per_million: price.outputPicos / PICOS_PER_MILLION,
    cached_input_per_million: price.cachedInputPicos === undefined ? null : price.cachedInputPicos / PICOS_PER_MILLION,
  };
}
