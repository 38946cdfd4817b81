import { fromTaggedJson, toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import type { Catalog, Model } from "../../models/catalog.ts";
import { catalogsOf, type PriceList } from "../../models/prices/price-list.ts";
import { isSameModel } from "../../models/headers/route-headers.ts";
import { renewUpstream, type UpstreamSettings } from "../../models/upstream-settings.ts";
import type { Callable, CatalogReader } from "../catalog/catalog-store.ts";

/** The models, upstreams and price lists of a catalog, with credentials. */
export function encodeCatalog(catalog: CatalogReader): unknown {
  const callable: Callable = { catalog: catalog.snapshot(), upstreams: catalog.upstreams(), priceLists: catalog.priceLists() };
  return toTaggedJson(callable);
}

/**
 * The catalog of the owner process, in a gateway process. Models and upstreams that did not change stay the same objects, also after a
 * reconnect: connections, circuit breakers and caches belong to them.
 */
export class ReplicaCatalog implements CatalogReader {
  #catalog: Catalog = new Map();
  #upstreams: ReadonlyMap<string, UpstreamSettings> = new Map();
  #priceLists: ReadonlyMap<string, PriceList> = new Map();
  #catalogs: ReadonlyMap<string, Catalog> = new Map();

  snapshot(priceList: string | null = null): Catalog {
    return priceList === null ? this.#catalog : (this.#catalogs.get(priceList) ?? this.#catalog);
  }

  priceLists(): ReadonlyMap<string, PriceList> {
    return this.#priceLists;
  }

  upstreams(): ReadonlyMap<string, UpstreamSettings> {
    return this.#upstreams;
  }

  /** Replaces models, upstreams and price lists together. */
  put(encoded: unknown): void {
    const { catalog, upstreams, priceLists } = fromTaggedJson(encoded) as Callable;
    const before = { catalog: this.#catalog, priceLists: this.#priceLists };
    this.#catalog = keepEqual(this.#catalog, catalog, renewModel);
    this.#upstreams = keepEqual(this.#upstreams, upstreams, renewUpstream);
    this.#priceLists = keepEqual(this.#priceLists, priceLists, renewList);
    if (this.#catalog === before.catalog && this.#priceLists === before.priceLists) return;
    this.#catalogs = catalogsOf(this.#priceLists, this.#catalog);
  }
}

export function renewModel(before: Model, next: Model): Model {
  return isSameModel(before, next) ? before : next;
}

function renewList(before: PriceList, next: PriceList): PriceList {
  return Bun.deepEquals(before, next, true) ? before : next;
}

/** `next`, with the objects that `renew` keeps of `before`; `before` itself where it keeps all, in the same order. */
export function keepEqual<T>(
  before: ReadonlyMap<string, T>,
  next: ReadonlyMap<string, T>,
  renew: (before: T, next: T) => T,
): ReadonlyMap<string, T> {
  const kept = new Map<string, T>();
  for (const [id, value] of next) {
    const earlier = before.get(id);
    kept.set(id, earlier === undefined ? value : renew(earlier, value));
  }
  const ids = [...before.keys()];
  const isUnchanged = kept.size === before.size && [...kept].every(([id, value], at) => ids[at] === id && before.get(id) === value);
  return isUnchanged ? before : kept;
}
