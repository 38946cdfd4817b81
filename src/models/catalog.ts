import { parseIsoDate } from "../lib/time/iso-date.ts";
import { NO_FALLBACKS, type FallbackModel, type KnownModel } from "./fallbacks.ts";
import type { DefaultParameters, DefaultsBound } from "./parameters/default-parameters.ts";
import { isWildcard } from "./model-id.ts";
import { NO_POLICY, type ParameterPolicy, type UnknownHandling } from "./parameters/parameter-policy.ts";
import type { RateLimits } from "../money/limits.ts";
import type { Selection } from "./selection.ts";
import type { SecretHeaders } from "./headers/secret-headers.ts";
import { percentOf, priceInForce, type Price } from "../money/price.ts";
import { NO_TIMEOUTS, type Timeouts } from "./timeouts.ts";

/** Models and their routes. Plain data: stored by the stores, read by the gateway. */

/** What models are for. Each kind has endpoints of its own. */
export const MODEL_KINDS = ["chat", "embedding"] as const;

export type ModelKind = (typeof MODEL_KINDS)[number];

/** The capabilities that a model can declare. */
export const CAPABILITIES = ["tools", "images", "files", "audio", "json_schema", "reasoning", "caching"] as const;

type Capability = (typeof CAPABILITIES)[number];

/** A route: one upstream that serves a model. */
export interface Route {
  readonly upstream: string;
  readonly upstreamModel: string;
  /** Routes with the lowest number are used first; the others are for failover. */
  readonly priority: number;
  /** The route's share of the traffic among routes of the same priority. */
  readonly weight: number;
  /** The price cap: the route is used only while the provider's price is not above it. */
  readonly maxPrice: MaxPrice | undefined;
  /**
   * The provider's published prices. They are compared with the cap, and are the cost if the operator has set none. Empty if they are
   * unknown.
   */
  readonly publishedPrices: readonly Price[];
  /** The operator's cost, if it differs from the provider's list price. Callers are charged the model's price. */
  readonly cost: Price | undefined;
  /** The parameters that the route adds to requests without them. */
  readonly defaults?: DefaultParameters | undefined;
  /** Requests that exceed these limits go to the next route. */
  readonly limits?: RateLimits | undefined;
  /** Headers that are added to every request. */
  readonly headers?: SecretHeaders | undefined;
}

/** A price cap, in pico-dollars per token. */
export interface MaxPrice {
  readonly inputPicos: bigint | undefined;
  readonly outputPicos: bigint | undefined;
}

/** The response cache of a model. */
export interface CacheTerms {
  readonly ttlSeconds: number;
  /** The price of a cached response, in percent of the price of its tokens. */
  readonly pricePercent: number;
}

/** A mirror: an upstream that receives a copy of some requests, whose responses are compared and dropped. */
export interface Mirror {
  readonly upstream: string;
  readonly upstreamModel: string;
  /** The share of requests that are sampled. */
  readonly percent: number;
}

/** `available` → `deprecated` → `retired`. A deprecated model can still be called; a retired one cannot. */
export type ModelState =
  | { readonly name: "available" }
  | { readonly name: "deprecated"; readonly shutdownDate: string; readonly replacement: string }
  | { readonly name: "retired"; readonly replacement: string };

export interface Model {
  readonly id: string;
  readonly ownedBy: string;
  readonly createdSeconds: number;
  readonly kind: ModelKind;
  readonly state: ModelState;
  /** The IDs of the accounts that may call it; undefined for every account. */
  readonly accounts?: ReadonlySet<string> | undefined;
  readonly routes: readonly Route[];
  /** The most that the default parameters of its routes add to a request; undefined if no route has any. */
  readonly defaultsBound?: DefaultsBound | undefined;
  /** By effective date. A model without a price in force cannot be called, so that nothing is free by mistake. */
  readonly prices: readonly Price[];
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** From `CAPABILITIES`. Informational: no request is rejected because of it. */
  readonly capabilities: readonly Capability[];
  /** The operator's policy for parameters that only some upstreams support. */
  readonly parameters: ParameterPolicy;
  /** The handling of unknown parameters. Undefined: the upstream's setting. */
  readonly unknownParameters: UnknownHandling | undefined;
  /** Overrides of the upstream's timeouts. */
  readonly timeouts: Partial<Timeouts>;
  /**
   * Session affinity: whether a conversation stays with the upstream that has its prefix cached. Undefined means: if cached input is
   * cheaper.
   */
  readonly isSticky: boolean | undefined;
  /** How a route is selected; undefined for `weighted`. */
  readonly selection?: Selection | undefined;
  /** Undefined if responses are not cached. */
  readonly cache: CacheTerms | undefined;
  /** Undefined if requests are not mirrored. */
  readonly mirror: Mirror | undefined;
  /** The wildcard model from which it was expanded, if any. */
  readonly expandedFrom: string | undefined;
  /** The models that serve its requests if this model cannot, in order. Fallbacks of these models are not used. */
  readonly fallbacks: readonly FallbackModel[];
}

/** A model with defaults for everything but its routes. */
export function plainModel(id: string, { upstream, upstreamModel }: Pick<Route, "upstream" | "upstreamModel">): Model {
  return {
    id,
    ownedBy: "tollgate",
    createdSeconds: 0,
    kind: "chat",
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
    mirror: undefined,
    expandedFrom: undefined,
    fallbacks: NO_FALLBACKS,
  };
}

/**
 * Every price whose version a ledger entry of this model can refer to: its prices, the prices of cached responses, and its providers'
 * prices.
 */
export function recordedPrices({ prices, cache, routes }: Model): readonly Price[] {
  const ofKept = cache ? prices.map((price) => percentOf(price, cache.pricePercent)) : [];
  return [...prices, ...ofKept, ...routes.flatMap(({ cost, publishedPrices }) => [...publishedPrices, ...(cost ? [cost] : [])])];
}

/** The provider's current price; undefined if it is unknown. */
export function costInForce({ cost, publishedPrices }: Route, nowMs: number): Price | undefined {
  return cost && cost.effectiveAtMs <= nowMs ? cost : priceInForce(publishedPrices, nowMs);
}

export type Catalog = ReadonlyMap<string, Model>;

/** The source of a model or an upstream: an operator, the config file, or discovery in the environment. */
export type Origin = "operator" | "file" | "environment";

/** An entry of the model changelog: a model was added, deprecated or retired. */
export interface Announcement {
  readonly model: string;
  readonly state: ModelState;
  readonly atMs: number;
  /** The id and name of the actor. */
  readonly actor: string;
  readonly actorName: string;
}

/**
 * Why a model cannot change from one state to another, as a clause; undefined if it can. There are two transitions, available → deprecated
 * → retired, and no way back. A deprecation may be announced again with another date or replacement.
 */
export function problemOfStateChange(from: ModelState, to: ModelState): string | undefined {
  if (from.name === "retired") return to.name === "retired" ? undefined : `cannot go back from retired to ${to.name}`;
  if (from.name === "deprecated" && to.name === "available") return "cannot go back from deprecated to available";
  if (from.name === "available" && to.name === "retired") return "cannot go from available to retired: it has to be deprecated first";
  return undefined;
}

/** Why a model cannot be the replacement of another; undefined if it can. */
export function problemOfReplacement(modelId: string, replacement: string, catalog: Catalog, nowMs: number): string | undefined {
  const target = catalog.get(replacement);
  if (replacement === modelId) return "is the model itself";
  if (!target) return `names ${JSON.stringify(replacement)}, and there is no such model`;
  if (target.state.name !== "available") return `names ${replacement}, which is ${target.state.name}`;
  if (!isOpenToCallersOf(catalog.get(modelId), target))
    return `names ${replacement}, which is restricted to accounts, and others may call ${modelId}`;
  return priceInForce(target.prices, nowMs) ? undefined : `names ${replacement}, which has no price and cannot be called`;
}

/** Why a date cannot be a model's shutdown date; undefined if it can. */
export function problemOfDay(day: string, nowMs: number): string | undefined {
  if (parseIsoDate(day) === undefined) return "is not a day of the calendar";
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return day >= today ? undefined : `must not be in the past: today is ${today} in UTC`;
}

/** The properties of a model that fallbacks are checked against. */
export function knownModel(id: string, catalog: Catalog): KnownModel | undefined {
  const model = catalog.get(id);
  return model && { isRetired: model.state.name === "retired" };
}

/** The models that fall back to this model, except retired models and models expanded from a wildcard model. */
export function fallingBackTo(modelId: string, catalog: Catalog): string[] {
  const models = [...catalog.values()].filter(({ state, expandedFrom }) => state.name !== "retired" && expandedFrom === undefined);
  return models.filter(({ fallbacks }) => fallbacks.some(({ model }) => model === modelId)).map(({ id }) => id);
}

/**
 * The models that are restricted to this account, or to several accounts including it, except retired models and models expanded from a
 * wildcard model.
 */
export function restrictedTo(accountId: string, catalog: Catalog): string[] {
  const models = [...catalog.values()].filter(({ state, expandedFrom }) => state.name !== "retired" && expandedFrom === undefined);
  return models.filter(({ accounts }) => accounts?.has(accountId)).map(({ id }) => id);
}

/** The models that use an upstream, by a route or as their mirror, except retired models and models expanded from a wildcard model. */
export function servedBy(upstreamId: string, catalog: Catalog): string[] {
  const models = [...catalog.values()].filter(({ state, expandedFrom }) => state.name !== "retired" && expandedFrom === undefined);
  const isUsedBy = ({ routes, mirror }: Model): boolean =>
    mirror?.upstream === upstreamId || routes.some((route) => route.upstream === upstreamId);
  return models.filter(isUsedBy).map(({ id }) => id);
}

/** The kind of a model with a route to this upstream model; undefined if there is none. */
export function kindAt(upstreamId: string, upstreamModel: string, catalog: Catalog): ModelKind | undefined {
  const isServedBy = ({ routes }: Model): boolean =>
    routes.some((route) => route.upstream === upstreamId && route.upstreamModel === upstreamModel);
  return catalog.values().find(isServedBy)?.kind;
}

/** The upstream's name for one of the chat models that it serves; undefined if it serves none. */
export function upstreamModelAt(upstreamId: string, catalog: Catalog): string | undefined {
  const models = [...catalog.values()].filter(({ id, kind, state }) => kind === "chat" && state.name !== "retired" && !isWildcard(id));
  return models.flatMap(({ routes }) => routes).find(({ upstream }) => upstream === upstreamId)?.upstreamModel;
}

/** The models that a key or an account may call, as IDs or patterns (`gpt-*`). Records of keys and accounts have this shape. */
export interface ModelAllowList {
  readonly models: readonly string[];
}

/** The properties of a caller's account that decide which models it may call. */
export interface CallingAccount extends ModelAllowList {
  readonly id: string;
}

/**
 * Whether this key of this account may call this model. The model list and admission both use this function, so a model is
 * listed if and only if it can be called.
 */
export function mayCall(key: ModelAllowList, account: CallingAccount, model: Model, nowMs: number): boolean {
  return isAllowed(key, account, model) && isCallable(model, nowMs);
}

/** Whether any account may call the model: it is not retired, and has a price. */
export function isCallable({ id, state, prices }: Model, nowMs: number): boolean {
  return state.name !== "retired" && !isWildcard(id) && priceInForce(prices, nowMs) !== undefined;
}

/** The models that cannot be called because they have no price. */
export function unpricedModels(catalog: Catalog, nowMs: number): string[] {
  const models = [...catalog.values()].filter(({ state, prices }) => state.name !== "retired" && !priceInForce(prices, nowMs));
  return models.filter(({ id }) => !isWildcard(id)).map(({ id }) => id);
}

/**
 * Whether the model is open to the account, and both lists match its ID. Members can edit the lists of their keys, so the account's list is
 * what restricts them.
 */
export function isAllowed(key: ModelAllowList, account: CallingAccount, model: Model): boolean {
  return isOpenTo(account.id, model) && isCovered(key.models, model.id) && isCovered(account.models, model.id);
}

/** Whether the account may use the model. For an account that may not, the model must look as if it did not exist. */
export function isOpenTo(accountId: string, { accounts }: Model): boolean {
  return accounts === undefined || accounts.has(accountId);
}

/** Whether every account to which the one model is open may call the other. */
function isOpenToCallersOf(model: Model | undefined, { accounts }: Model): boolean {
  return accounts === undefined || (model?.accounts?.isSubsetOf(accounts) ?? false);
}

/** Whether any pattern matches the id: `gpt-4o`, `gpt-*`, `*`. */
export function isCovered(patterns: readonly string[], modelId: string): boolean {
  // A loop without a closure: this runs for every request.
  for (const pattern of patterns) if (pattern.endsWith("*") ? modelId.startsWith(pattern.slice(0, -1)) : modelId === pattern) return true;
  return false;
}
