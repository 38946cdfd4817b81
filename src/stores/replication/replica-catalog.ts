import { fromTaggedJson, toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import type { Catalog, Model } from "../../models/catalog.ts";
import { catalogsOf, type PriceList } from "../../models/prices/price-list.ts";
import { isSameUpstream, type UpstreamSettings } from "../../models/upstream-settings.ts";
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
    this.#catalog = keepEqual(this.#catalog, catalog, isSameModel);
    this.#upstreams = keepEqual(this.#upstreams, upstreams, isSameUpstream);
    this.#priceLists = keepEqual(this.#priceLists, priceLists, isSameList);
    if (this.#catalog === before.catalog && this.#priceLists === before.priceLists) return;
    this.#catalogs = catalogsOf(this.#priceLists, this.#catalog);
  }
}

export function isSameModel(one: Model, other: Model): boolean {
  return Bun.deepEquals(one, other, true);
}

function isSameList(one: PriceList, other: PriceList): boolean {
  return Bun.deepEquals(one, other, true);
}

/** `next`, with the objects of `before` that are equal to those in it; `before` itself where all are, in the same order. */
export function keepEqual<T>(
  before: ReadonlyMap<string, T>,
  next: ReadonlyMap<string, T>,
  isEqual: (one: T, other: T) => boolean,
): ReadonlyMap<string, T> {
  const kept = new Map<string, T>();
  for (const [id, value] of next) {
    const earlier = before.get(id);
    kept.set(id, earlier !== undefined && isEqual(earlier, value) ? earlier : value);
  }
  const ids = [...before.keys()];
  const isUnchanged = kept.size === before.size && [...kept].every(([id, value], at) => ids[at] === id && before.get(id) === value);
  return isUnchanged ? before : kept;
}
