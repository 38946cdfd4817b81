import { recordedPrices, type Announcement, type Catalog, type Model } from "../../models/catalog.ts";
import { isWildcard } from "../../models/model-id.ts";
import { toModel, type DeclaredModel } from "../../models/declared-model.ts";
import { toPriceList, type DeclaredPriceList } from "../../models/prices/declared-price-list.ts";
import { catalogsOf, type PriceList } from "../../models/prices/price-list.ts";
import type { Price } from "../../money/price.ts";
import { expandWildcard, type PricedModels } from "../../models/wildcard.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { Callable, Declared } from "./catalog-store.ts";

/** The published prices of a model at the upstream with this base URL. */
export type DefaultPrices = (baseUrl: string, upstreamModel: string) => readonly Price[];

/** An operator's model as it is stored. */
export interface StoredModel {
  readonly declared: DeclaredModel;
  readonly createdAtMs: number;
  readonly archivedAtMs: number | null;
}

/** The models, upstreams and price lists of each origin, and the announcements of models. */
export interface StoredCatalog {
  readonly models: ReadonlyMap<string, StoredModel>;
  readonly upstreams: ReadonlyMap<string, UpstreamSettings>;
  readonly priceLists: ReadonlyMap<string, DeclaredPriceList>;
  /** By model, the oldest first. */
  readonly announcements: ReadonlyMap<string, readonly Announcement[]>;
  /** The models that upstreams have listed, by upstream. */
  readonly discovered: ReadonlyMap<string, PricedModels>;
  readonly file: Declared;
  readonly environment: Declared;
}

/** The callable catalog of all origins, and what it was composed from. */
export interface Composed extends Callable {
  readonly stored: StoredCatalog;
  /** By price list: its models with its prices. */
  readonly catalogs: ReadonlyMap<string, Catalog>;
}

/** Merges the three origins: the file takes precedence over operators, and operators over the environment. */
export function composeCatalog(stored: StoredCatalog, defaultPrices: DefaultPrices): Composed {
  const { file, environment } = stored;
  const upstreams = new Map([...byId(environment.upstreams), ...stored.upstreams, ...byId(file.upstreams)]);
  const pricesOf = (route: DeclaredModel["routes"][number]): readonly Price[] => {
    const upstream = upstreams.get(route.upstream);
    return upstream === undefined || upstream.dialect === "echo" ? [] : defaultPrices(upstream.baseUrl, route.model);
  };
  const operatorModels = [...stored.models.values()].map((model) =>
    toOperatorModel(model, stored.announcements.get(model.declared.id)!, pricesOf),
  );
  // A model that was discovered at one base URL, with its prices, must not be called at another upstream that has taken the id.
  const found = [...environment.catalog].filter(([, { routes }]) =>
    routes.every((route) => environment.upstreams.includes(upstreams.get(route.upstream)!)),
  );
  const declared = new Map([...found, ...operatorModels.map((model) => [model.id, model] as const), ...file.catalog]);
  const catalog = withExpanded(declared, (id) => listAt(upstreams.get(id), stored.discovered));
  const ofOperators = [...stored.priceLists.values()].map(toOperatorList);
  const priceLists = new Map([...byId(ofOperators), ...byId(file.priceLists ?? [])]);
  return { stored, upstreams, catalog, priceLists, catalogs: catalogsOf(priceLists, catalog) };
}

/** Those of each price list too: an entry refers to the price that its account has. */
export function pricesIn({ catalog, catalogs }: Composed): Price[] {
  return [catalog, ...catalogs.values()].flatMap((each) => [...each.values()].flatMap(recordedPrices));
}

/** Adds the models that wildcard models stand for. A declared model takes precedence, and of two wildcard models the longer one. */
function withExpanded(declared: Catalog, listOf: (upstream: string) => PricedModels | undefined): Catalog {
  const wildcards = [...declared.values()].filter(({ id, state }) => isWildcard(id) && state.name !== "retired");
  if (wildcards.length === 0) return declared;
  const byLength = wildcards.toSorted((one, other) => one.id.length - other.id.length);
  const expanded = byLength.flatMap((wildcard) => expandWildcard(wildcard, listOf).map((model) => [model.id, model] as const));
  return new Map([...expanded, ...declared]);
}

/** What was listed at another base URL may be other models, at other prices. */
function listAt(upstream: UpstreamSettings | undefined, discovered: StoredCatalog["discovered"]): PricedModels | undefined {
  const list = upstream && discovered.get(upstream.id);
  return upstream && upstream.dialect !== "echo" && list?.baseUrl === upstream.baseUrl ? list : undefined;
}

function toOperatorList(declared: DeclaredPriceList): PriceList {
  return toPriceList(declared, (path, message) => {
    throw new Error(`the price list ${declared.id} is invalid: ${path.join(".")} ${message}`);
  });
}

/** Its state is the last announced one. */
function toOperatorModel(
  { declared, createdAtMs }: StoredModel,
  announcements: readonly Announcement[],
  defaultPrices: (route: DeclaredModel["routes"][number]) => readonly Price[],
): Model {
  const context = { createdSeconds: Math.floor(createdAtMs / 1000), state: announcements.at(-1)!.state, defaultPrices };
  return toModel(declared, context, (path, message) => {
    throw new Error(`the model ${declared.id} is invalid: ${path.join(".")} ${message}`);
  });
}

function byId<T extends { readonly id: string }>(things: readonly T[]): [string, T][] {
  return things.map((each) => [each.id, each]);
}
