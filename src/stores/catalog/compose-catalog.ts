import { keepEqual } from "../../lib/collections/keep-equal.ts";
import { recordedPrices, type Announcement, type Catalog, type Model, type ModelKind, type ModelState } from "../../models/catalog.ts";
import { isWildcard } from "../../models/model-id.ts";
import { toModel, type DeclaredModel } from "../../models/declared-model.ts";
import type { DeclaredRoute } from "../../models/declared-route.ts";
import { reuseModelIfEqual } from "../../models/headers/route-headers.ts";
import { toPriceList, type DeclaredPriceList } from "../../models/prices/declared-price-list.ts";
import { catalogsOf, changedModels, type PricedCatalogs, type PriceList } from "../../models/prices/price-list.ts";
import { OPTIONAL_ENDPOINTS, type OptionalEndpoint } from "../../money/attribution.ts";
import type { Price } from "../../money/price.ts";
import { expandWildcard, type PricedModels } from "../../models/wildcard.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { CallableCatalog, DeclaredCatalog } from "./catalog-store.ts";

/** The published prices of a model at the upstream with this base URL. */
export type DefaultPrices = (baseUrl: string, upstreamModel: string, kind: ModelKind) => readonly Price[];

/** An operator's model as it is stored. */
export interface StoredModel {
  readonly declared: DeclaredModel;
  readonly createdAtMs: number;
  readonly archivedAtMs: number | null;
}

/** The models, upstreams, price lists and endpoints of each origin, and the announcements of models. */
export interface StoredCatalog {
  readonly models: ReadonlyMap<string, StoredModel>;
  readonly upstreams: ReadonlyMap<string, UpstreamSettings>;
  readonly priceLists: ReadonlyMap<string, DeclaredPriceList>;
  readonly endpoints: ReadonlySet<OptionalEndpoint>;
  /** By model, oldest first. */
  readonly announcements: ReadonlyMap<string, readonly Announcement[]>;
  /** The models that upstreams have listed, by upstream. */
  readonly discovered: ReadonlyMap<string, PricedModels>;
  readonly file: DeclaredCatalog;
  readonly environment: DeclaredCatalog;
}

const NOTHING: DeclaredCatalog = { upstreams: [], catalog: new Map() };

export const NO_RECORDS: StoredCatalog = {
  models: new Map(),
  upstreams: new Map(),
  priceLists: new Map(),
  endpoints: new Set(),
  announcements: new Map(),
  discovered: new Map(),
  file: NOTHING,
  environment: NOTHING,
};

/** The callable catalog of all origins, and the records that it was composed from. */
export interface ComposedCatalog extends CallableCatalog, PricedCatalogs {
  readonly stored: StoredCatalog;
  readonly operatorModels: ReadonlyMap<string, Model>;
}

/**
 * Merges the three origins: the file takes precedence over operators, and operators over the environment. Parts that come from the same
 * records as in `before` are reused, and stay the same objects: with thousands of models and tens of price lists, composing everything at
 * each change would block the event loop for most of a second.
 */
export function composeCatalog(stored: StoredCatalog, defaultPrices: DefaultPrices, before?: ComposedCatalog): ComposedCatalog {
  const { file, environment } = stored;
  const upstreams = keepSame(before?.upstreams, new Map([...byId(environment.upstreams), ...stored.upstreams, ...byId(file.upstreams)]));
  const operatorModels = toOperatorModels(stored, upstreams, defaultPrices, before);
  // A model that was discovered at one base URL, with its prices, must not be called at another upstream that has taken over the id.
  const found = [...environment.catalog].filter(([, { routes }]) =>
    routes.every((route) => environment.upstreams.includes(upstreams.get(route.upstream)!)),
  );
  const declared = new Map([...found, ...operatorModels, ...file.catalog]);
  const expanded = withExpanded(declared, (id) => listAt(upstreams.get(id), stored.discovered));
  const catalog = before ? keepEqual(before.catalog, expanded, reuseModelIfEqual) : expanded;
  const priceLists = keepSame(before?.priceLists, new Map([...toOperatorLists(stored, before), ...byId(file.priceLists ?? [])]));
  const endpoints = endpointsIn(stored, before?.endpoints);
  return { stored, upstreams, operatorModels, catalog, priceLists, endpoints, catalogs: catalogsOf(priceLists, catalog, before) };
}

/** An endpoint is on if the file or an operator has turned it on. */
function endpointsIn({ file, endpoints }: StoredCatalog, before?: ReadonlySet<OptionalEndpoint>): ReadonlySet<OptionalEndpoint> {
  const next = new Set(OPTIONAL_ENDPOINTS.filter((each) => endpoints.has(each) || file.endpoints?.includes(each)));
  return before && Bun.deepEquals(before, next) ? before : next;
}

/** Drops the model lists of upstreams that this change removes: an upstream that gets the ID later may be another server. */
export function withoutRemovedLists(next: ComposedCatalog, before: ComposedCatalog): ComposedCatalog {
  const { discovered } = next.stored;
  const isRemoved = (id: string): boolean => before.upstreams.has(id) && !next.upstreams.has(id);
  const kept = [...discovered].filter(([id]) => !isRemoved(id));
  return kept.length === discovered.size ? next : { ...next, stored: { ...next.stored, discovered: new Map(kept) } };
}

/** The records in which this declaration of a model, of an operator or of the file, replaces the current one. */
export function withDeclared({ stored, catalog }: ComposedCatalog, declared: DeclaredModel): StoredCatalog {
  const { id } = declared;
  const models = new Map(stored.models).set(id, { createdAtMs: catalog.get(id)!.createdSeconds * 1000, archivedAtMs: null, declared });
  // Leaves out the file's current declaration, which would take precedence.
  return { ...stored, models, file: { ...stored.file, catalog: without(stored.file.catalog, id) } };
}

export function without<T>(values: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  return new Map([...values].filter(([each]) => each !== id));
}

/**
 * The prices of the models that are new or changed since `before`, each once. Includes the prices in each price list: a ledger entry refers
 * to the price that its account has.
 */
export function newPricesIn({ catalog, priceLists, catalogs }: ComposedCatalog, before: ComposedCatalog): Price[] {
  const changed = changedModels(catalog, before.catalog);
  const ofLists = [...catalogs].flatMap(([id, each]) =>
    priceLists.get(id) === before.priceLists.get(id) ? changed.map((model) => each.get(model.id)!) : [...each.values()],
  );
  const prices = [...changed, ...ofLists].flatMap(recordedPrices);
  return [...new Map(prices.map((price) => [price.version, price])).values()];
}

function keepSame<T>(before: ReadonlyMap<string, T> | undefined, next: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return before ? keepEqual(before, next, (_, each) => each) : next;
}

/**
 * Adds the models that wildcard models expand to. A declared model takes precedence over a wildcard model, and a longer wildcard over a
 * shorter one.
 */
function withExpanded(declared: Catalog, listOf: (upstream: string) => PricedModels | undefined): Catalog {
  const wildcards = [...declared.values()].filter(({ id, state }) => isWildcard(id) && state.name !== "retired");
  if (wildcards.length === 0) return declared;
  const byLength = wildcards.toSorted((one, other) => one.id.length - other.id.length);
  const expanded = byLength.flatMap((wildcard) => expandWildcard(wildcard, listOf).map((model) => [model.id, model] as const));
  return new Map([...expanded, ...declared]);
}

/** The listed models, only if they were listed at the current base URL: another base URL may have other models at other prices. */
function listAt(upstream: UpstreamSettings | undefined, discovered: StoredCatalog["discovered"]): PricedModels | undefined {
  const list = upstream && discovered.get(upstream.id);
  return upstream && upstream.dialect !== "echo" && list?.baseUrl === upstream.baseUrl ? list : undefined;
}

function toOperatorLists({ priceLists }: StoredCatalog, before: ComposedCatalog | undefined): [string, PriceList][] {
  return [...priceLists].map(([id, declared]) => {
    const isSame = before?.stored.priceLists.get(id) === declared && !before.stored.file.priceLists?.some((list) => list.id === id);
    return [id, isSame ? before.priceLists.get(id)! : toOperatorList(declared)];
  });
}

function toOperatorList(declared: DeclaredPriceList): PriceList {
  return toPriceList(declared, (path, message) => {
    throw new Error(`the price list ${declared.id} is invalid: ${path.join(".")} ${message}`);
  });
}

/** A model depends on its record, on its last announcement, and on the base URLs of its routes' upstreams. */
function toOperatorModels(
  stored: StoredCatalog,
  upstreams: CallableCatalog["upstreams"],
  defaultPrices: DefaultPrices,
  before: ComposedCatalog | undefined,
): ReadonlyMap<string, Model> {
  const pricesOf = (route: DeclaredRoute, kind: ModelKind): readonly Price[] => {
    const upstream = upstreams.get(route.upstream);
    return upstream === undefined || upstream.dialect === "echo" ? [] : defaultPrices(upstream.baseUrl, route.model, kind);
  };
  const isSame = (model: StoredModel): boolean =>
    before?.stored.models.get(model.declared.id) === model &&
    model.declared.routes.every(({ upstream }) => before.upstreams.get(upstream) === upstreams.get(upstream));
  return new Map(
    [...stored.models].map(([id, model]) => {
      const { state } = stored.announcements.get(id)!.at(-1)!;
      const earlier = before?.operatorModels.get(id);
      const isUnchanged = earlier && isSame(model) && Bun.deepEquals(earlier.state, state);
      return [id, isUnchanged ? earlier : toOperatorModel(model, state, pricesOf)];
    }),
  );
}

function toOperatorModel(
  { declared, createdAtMs }: StoredModel,
  state: ModelState,
  defaultPrices: (route: DeclaredRoute, kind: ModelKind) => readonly Price[],
): Model {
  const context = { createdSeconds: Math.floor(createdAtMs / 1000), state, defaultPrices };
  return toModel(declared, context, (path, message) => {
    throw new Error(`the model ${declared.id} is invalid: ${path.join(".")} ${message}`);
  });
}

function byId<T extends { readonly id: string }>(things: readonly T[]): [string, T][] {
  return things.map((each) => [each.id, each]);
}
