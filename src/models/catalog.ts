import { parseIsoDate } from "../lib/time/iso-date.ts";
import { NO_POLICY, type ParameterPolicy, type UnknownHandling } from "./parameters/parameter-policy.ts";
import { percentOf, priceInForce, type Price } from "../money/price.ts";
import { NO_TIMEOUTS, type Timeouts } from "./upstream-settings.ts";

/** What may be called, and where a call goes. Plain data: the stores keep it, the gateway reads it. */

/** One way to serve a model. */
export interface Route {
  readonly upstream: string;
  readonly upstreamModel: string;
  /** Routes of the lowest number go first; the others are there for when those fail. */
  readonly priority: number;
  /** Its share of the calls among those of the same priority. */
  readonly weight: number;
  /** What the provider may charge at most for it to be used. */
  readonly maxPrice: MaxPrice | undefined;
  /** What the provider publishes, to hold that against. */
  readonly publishedPrices: readonly Price[];
  /** What the provider charges the operator, where that is not its list price. What callers are charged is the model's price. */
  readonly cost: Price | undefined;
}

/** A bound on a price, in pico-dollars a token. */
export interface MaxPrice {
  readonly inputPicos: bigint | undefined;
  readonly outputPicos: bigint | undefined;
}

/** How the answers of a model are kept for the same question again. */
export interface CacheTerms {
  readonly ttlSeconds: number;
  /** The price of a cached response, in percent of the price of its tokens. */
  readonly pricePercent: number;
}

/** `available` → `deprecated` → `retired`. A deprecated model keeps working; a retired one is gone. */
export type ModelState =
  | { readonly name: "available" }
  | { readonly name: "deprecated"; readonly shutdownDate: string; readonly replacement: string }
  | { readonly name: "retired"; readonly replacement: string };

export interface Model {
  readonly id: string;
  readonly ownedBy: string;
  readonly createdSeconds: number;
  readonly state: ModelState;
  readonly routes: readonly Route[];
  /** By the day they take effect. Without one in force the model cannot be called: what costs money is never free by mistake. */
  readonly prices: readonly Price[];
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** What it can do, in words of `CAPABILITIES`. Told to those who choose; nothing is refused by it. */
  readonly capabilities: readonly string[];
  /** What the operator has decided about parameters that not every upstream takes. */
  readonly parameters: ParameterPolicy;
  /** What becomes of parameters that nobody knows. Undefined: as at the upstream. */
  readonly unknownParameters: UnknownHandling | undefined;
  /** Instead of those of the upstream. */
  readonly timeouts: Partial<Timeouts>;
  /** Whether a conversation stays at one upstream, where its beginning is cached. Undefined: where cached input is cheaper. */
  readonly isSticky: boolean | undefined;
  /** Undefined where every request is a call. */
  readonly cache: CacheTerms | undefined;
}

/** A model about which nothing is known but where it is served. */
export function plainModel(id: string, { upstream, upstreamModel }: Pick<Route, "upstream" | "upstreamModel">): Model {
  return {
    id,
    ownedBy: "tollgate",
    createdSeconds: 0,
    state: { name: "available" },
    routes: [{ upstream, upstreamModel, priority: 1, weight: 1, maxPrice: undefined, publishedPrices: [], cost: undefined }],
    prices: [],
    contextWindow: undefined,
    maxOutputTokens: undefined,
    capabilities: [],
    parameters: NO_POLICY,
    unknownParameters: undefined,
    timeouts: NO_TIMEOUTS,
    isSticky: undefined,
    cache: undefined,
  };
}

/** Every price whose version a ledger entry of this model can name: its own, that of cached responses, and the costs of its routes. */
export function recordedPrices({ prices, cache, routes }: Model): readonly Price[] {
  const ofKept = cache ? prices.map((price) => percentOf(price, cache.pricePercent)) : [];
  return [...prices, ...ofKept, ...routes.flatMap(({ cost }) => cost ?? [])];
}

export type Catalog = ReadonlyMap<string, Model>;

/** Who decides about a model or an upstream: an operator, the config file, or what was found in the environment. */
export type Origin = "operator" | "file" | "environment";

/** A model's coming, its announced end, or its end: what the changelog tells. */
export interface Announcement {
  readonly model: string;
  readonly state: ModelState;
  readonly atMs: number;
  /** Who moved it, and what they are called. */
  readonly actor: string;
  readonly actorName: string;
}

/**
 * Why a model cannot go from one state to another, as the end of a sentence; undefined where it can. There are two moves,
 * available → deprecated → retired, and no way back. The deprecation may be announced again, with another day or replacement.
 */
export function problemOfMove(from: ModelState, to: ModelState): string | undefined {
  if (from.name === "retired") return to.name === "retired" ? undefined : `cannot go back from retired to ${to.name}`;
  if (from.name === "deprecated" && to.name === "available") return "cannot go back from deprecated to available";
  if (from.name === "available" && to.name === "retired") return "cannot go from available to retired: it has to be deprecated first";
  return undefined;
}

/** Why a model cannot be what callers of another are sent to; undefined where it can. */
export function problemOfReplacement(modelId: string, replacement: string, catalog: Catalog, nowMs: number): string | undefined {
  const target = catalog.get(replacement);
  if (replacement === modelId) return "is the model itself";
  if (!target) return `names ${JSON.stringify(replacement)}, and there is no such model`;
  if (target.state.name !== "available") return `names ${replacement}, which is ${target.state.name}`;
  return priceInForce(target.prices, nowMs) ? undefined : `names ${replacement}, which has no price and cannot be called`;
}

/** Why a day cannot be announced as a model's last; undefined where it can. */
export function problemOfDay(day: string, nowMs: number): string | undefined {
  if (parseIsoDate(day) === undefined) return "is not a day of the calendar";
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return day >= today ? undefined : `must not be in the past: today is ${today} in UTC`;
}

/** The models that an upstream serves, without those that have ended. */
export function servedBy(upstreamId: string, catalog: Catalog): string[] {
  const models = [...catalog.values()].filter(({ state }) => state.name !== "retired");
  return models.filter(({ routes }) => routes.some((route) => route.upstream === upstreamId)).map(({ id }) => id);
}

/**
 * What a model may be called: ASCII without spaces, so that it fits into a header, and without `*`. Not a dot or two, which every
 * client takes for a step in a path.
 */
export const MODEL_ID = "^(?!\\.{1,2}$)[!-)+-~]+$";

/** A model id, or the beginning of one and `*`. */
export const MODEL_PATTERN = "^[!-)+-~]+\\*?$|^\\*$";

/** Something with an allow-list: a key, or the account that it belongs to. */
export interface Allowing {
  readonly models: readonly string[];
}

/**
 * The one answer to "may this key of this account call this model?". The model list and admission both ask here, so a model is
 * listed if and only if it can be called.
 */
export function mayCall(key: Allowing, account: Allowing, model: Model, nowMs: number): boolean {
  return model.state.name !== "retired" && isAllowed(key, account, model.id) && priceInForce(model.prices, nowMs) !== undefined;
}

/** The models that cannot be called because they have no price. */
export function unpricedModels(catalog: Catalog, nowMs: number): string[] {
  const models = [...catalog.values()].filter(({ state, prices }) => state.name !== "retired" && !priceInForce(prices, nowMs));
  return models.map(({ id }) => id);
}

/** Whether both lists cover the id. Members write those of their keys, so the account's is the one that binds them. */
export function isAllowed(key: Allowing, account: Allowing, modelId: string): boolean {
  return isCovered(key.models, modelId) && isCovered(account.models, modelId);
}

/** Whether any pattern covers the id: `gpt-4o`, `gpt-*`, `*`. */
export function isCovered(patterns: readonly string[], modelId: string): boolean {
  // A loop, and no closure: every request asks.
  for (const pattern of patterns) if (pattern.endsWith("*") ? modelId.startsWith(pattern.slice(0, -1)) : modelId === pattern) return true;
  return false;
}
