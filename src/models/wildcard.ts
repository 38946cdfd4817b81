import type { Price } from "../money/price.ts";
import type { Mirror, Model, ModelKind, Route } from "./catalog.ts";
import { MAX_ID_LENGTH } from "./model-id.ts";

/** A model that an upstream lists. */
export interface DiscoveredModel {
  /** Its public name: the upstream's name, without the folders if it is the path of a file. */
  readonly name: string;
  /** The upstream's name for it. */
  readonly upstreamModel: string;
  /** Absent in lists that earlier versions have stored, which are of chat models. */
  readonly kind?: ModelKind | undefined;
  readonly ownedBy: string;
  readonly createdSeconds: number;
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** The models that an upstream lists, for wildcard models. */
export interface DiscoveredModels {
  readonly upstream: string;
  /** The base URL where the models were listed. At another base URL the same names may be other models. */
  readonly baseUrl: string;
  readonly models: readonly DiscoveredModel[];
  readonly foundAtMs: number;
}

/** A listed model with its published prices. Prices are looked up once, because the catalog is composed again at each of its changes. */
export interface PricedModel extends DiscoveredModel {
  readonly publishedPrices: readonly Price[];
}

export interface PricedModels extends Omit<DiscoveredModels, "models"> {
  readonly models: readonly PricedModel[];
}

/**
 * The models that a wildcard model stands for: models of its kind that its upstreams list, and that have a price. The `*` in its ID is the `*` in the
 * model of a route: with a route to `gpt-*`, `openai/*` contains `openai/4o` for `gpt-4o`.
 */
export function expandWildcard(wildcard: Model, listAt: (upstream: string) => PricedModels | undefined): Model[] {
  const expanded = new Map<string, Model>();
  for (const route of wildcard.routes) {
    const prefix = route.upstreamModel.slice(0, -1);
    for (const found of listAt(route.upstream)?.models ?? []) {
      if (!found.name.startsWith(prefix) || (found.kind ?? "chat") !== wildcard.kind) continue;
      const id = wildcard.id.slice(0, -1) + found.name.slice(prefix.length);
      const own: Route = { ...route, upstreamModel: found.upstreamModel, publishedPrices: found.publishedPrices };
      const earlier = expanded.get(id);
      if (earlier) expanded.set(id, { ...earlier, routes: [...earlier.routes, own] });
      else expanded.set(id, toExpanded(wildcard, id, found, own));
    }
  }
  return [...expanded.values()].filter(({ id, prices }) => id.length <= MAX_ID_LENGTH && prices.length > 0);
}

/** In the mirror's model, `*` is replaced by the same text as in the ID. */
function mirrorOf({ id: wildcard, mirror }: Model, id: string): Mirror | undefined {
  return mirror && { ...mirror, upstreamModel: mirror.upstreamModel.slice(0, -1) + id.slice(wildcard.length - 1) };
}

function toExpanded(wildcard: Model, id: string, found: PricedModel, route: Route): Model {
  return {
    ...wildcard,
    id,
    expandedFrom: wildcard.id,
    ownedBy: found.ownedBy,
    createdSeconds: found.createdSeconds,
    routes: [route],
    mirror: mirrorOf(wildcard, id),
    prices: wildcard.prices.length > 0 ? wildcard.prices : found.publishedPrices,
    contextWindow: wildcard.contextWindow ?? found.contextWindow,
    maxOutputTokens: wildcard.maxOutputTokens ?? found.maxOutputTokens,
  };
}
