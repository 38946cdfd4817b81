import type { Announcement, Catalog, Model } from "../../models/catalog.ts";
import { toModel, type DeclaredModel } from "../../models/declared-model.ts";
import { toPriceList, type DeclaredPriceList } from "../../models/prices/declared-price-list.ts";
import { catalogsOf, type PriceList } from "../../models/prices/price-list.ts";
import type { Price } from "../../money/price.ts";
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
  const catalog = new Map([...found, ...operatorModels.map((model) => [model.id, model] as const), ...file.catalog]);
  const ofOperators = [...stored.priceLists.values()].map(toOperatorList);
  const priceLists = new Map([...byId(ofOperators), ...byId(file.priceLists ?? [])]);
  return { stored, upstreams, catalog, priceLists, catalogs: catalogsOf(priceLists, catalog) };
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
