import { costInForce, type Catalog, type Model, type Route } from "../../models/catalog.ts";
import { priceInForce, ratesFor, type Price, type Rates } from "../../money/price.ts";
import { makeAlert } from "../alert.ts";
import { crossing, type SubjectFinding, type Marks } from "./crossing.ts";

/** The catalog at the prices of a price list that accounts have, or at the base prices (null). */
export interface Offer {
  readonly priceList: string | null;
  readonly catalog: Catalog;
}

/** A price below the cost of a route. */
interface Loss {
  readonly price_list: string | null;
  readonly upstream: string;
  readonly upstream_model: string;
  /** The kinds of tokens whose cost is above their price. */
  readonly tokens: readonly string[];
  readonly price_version: string;
  readonly cost_version: string;
}

const PREFIX = "sold below cost ";
/** The most losses of a model that an alert lists. */
const MAX_NAMED = 20;

const KINDS = [
  ["input", "inputPicos"],
  ["cached_input", "cachedInputPicos"],
  ["cache_write", "cacheWritePicos"],
  ["output", "outputPicos"],
  ["reasoning", "reasoningPicos"],
] as const satisfies [string, keyof Rates][];

/**
 * `model.sold_below_cost`: models whose current price, the base price or the price in a list that is used, is below the provider's price.
 */
export function checkSoldBelowCost(offers: readonly Offer[], marks: Marks, nowMs: number): SubjectFinding[] {
  const models = new Set(offers.flatMap(({ catalog }) => [...catalog.keys()]));
  return [...models].flatMap((id) => {
    const losses = offers.flatMap(({ priceList, catalog }) => lossesOf(catalog.get(id), priceList, nowMs));
    // A changed price or cost raises the alert again.
    const value = Bun.hash(losses.map((loss) => `${loss.price_version} ${loss.cost_version}`).join(",")).toString(36);
    return crossing({ subject: `${PREFIX}${id}`, isMet: losses.length > 0, value }, marks, nowMs, () =>
      makeAlert("model.sold_below_cost", { model: id, count: losses.length, below_cost: losses.slice(0, MAX_NAMED) }, nowMs),
    );
  });
}

/** Whether this is the subject of a removed model. */
export function isOfRemovedOffer(subject: string, catalog: Catalog): boolean {
  return subject.startsWith(PREFIX) && !catalog.has(subject.slice(PREFIX.length));
}

function lossesOf(model: Model | undefined, priceList: string | null, nowMs: number): Loss[] {
  const price = model && model.state.name !== "retired" ? priceInForce(model.prices, nowMs) : undefined;
  return price ? model!.routes.flatMap((route) => lossAt(route, price, priceList, nowMs)) : [];
}

function lossAt(route: Route, price: Price, priceList: string | null, nowMs: number): Loss[] {
  const cost = costInForce(route, nowMs);
  const tokens = cost && cost.version !== price.version ? kindsBelow(price, cost) : [];
  if (!cost || tokens.length === 0) return [];
  const { upstream, upstreamModel } = route;
  const versions = { price_version: price.version, cost_version: cost.version };
  return [{ price_list: priceList, upstream, upstream_model: upstreamModel, tokens, ...versions }];
}

/** Compares the rates for every prompt length. */
function kindsBelow(price: Price, cost: Price): string[] {
  const lengths = [0, ...[...price.tiers, ...cost.tiers].map(({ aboveInputTokens }) => aboveInputTokens + 1)];
  const pairs = lengths.map((length) => [ratesFor(price, length), ratesFor(cost, length)] as const);
  return KINDS.filter(([, kind]) => pairs.some(([sold, bought]) => sold[kind] < bought[kind])).map(([name]) => name);
}
