import { keepEqual } from "../../lib/collections/keep-equal.ts";
import { fromTaggedJson, toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import type { Catalog, Model } from "../../models/catalog.ts";
import type { OptionalEndpoint } from "../../money/attribution.ts";
import { catalogsOf, renewPriceList, type PriceList } from "../../models/prices/price-list.ts";
import { reuseModelIfEqual } from "../../models/headers/route-headers.ts";
import { reuseUpstreamIfEqual, type UpstreamSettings } from "../../models/upstream-settings.ts";
import type { CallableCatalog, CatalogReader } from "../catalog/catalog-store.ts";

/** Null instead of a value that the receiver already has. */
type Changes<T> = ReadonlyMap<string, T | null>;

interface ChangedCatalog {
  readonly catalog: Changes<Model>;
  readonly upstreams: Changes<UpstreamSettings>;
  readonly priceLists: Changes<PriceList>;
  readonly endpoints: readonly OptionalEndpoint[];
}

/** The models, upstreams, price lists and endpoints in force, for comparison with a change. */
export function callableOf(catalog: CatalogReader): CallableCatalog {
  return { catalog: catalog.snapshot(), upstreams: catalog.upstreams(), priceLists: catalog.priceLists(), endpoints: catalog.endpoints() };
}

/**
 * Encodes the models, upstreams, price lists and endpoints of a catalog, with credentials. Records that are the same objects in `before` are only
 * named: encoding and decoding the thousands of models that a wildcard model may expand to would block the event loop at each change.
 */
export function encodeCatalog(next: CallableCatalog, before?: CallableCatalog): unknown {
  const changed: ChangedCatalog = {
    catalog: changesBetween(before?.catalog, next.catalog),
    upstreams: changesBetween(before?.upstreams, next.upstreams),
    priceLists: changesBetween(before?.priceLists, next.priceLists),
    endpoints: [...next.endpoints],
  };
  return toTaggedJson(changed);
}

function changesBetween<T>(before: ReadonlyMap<string, T> | undefined, next: ReadonlyMap<string, T>): Changes<T> {
  return new Map([...next].map(([id, value]) => [id, before?.get(id) === value ? null : value]));
}

/**
 * The catalog of the owner process, in a gateway process. Unchanged models and upstreams stay the same objects, even after a reconnect:
 * connections, circuit breakers and caches belong to them.
 */
export class ReplicaCatalog implements CatalogReader {
  #catalog: Catalog = new Map();
  #upstreams: ReadonlyMap<string, UpstreamSettings> = new Map();
  #priceLists: ReadonlyMap<string, PriceList> = new Map();
  #endpoints: ReadonlySet<OptionalEndpoint> = new Set();
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

  endpoints(): ReadonlySet<OptionalEndpoint> {
    return this.#endpoints;
  }

  /** Replaces models, upstreams, price lists and endpoints together. */
  put(encoded: unknown): void {
    const { catalog, upstreams, priceLists, endpoints } = fromTaggedJson(encoded) as ChangedCatalog;
    const before = { catalog: this.#catalog, priceLists: this.#priceLists, catalogs: this.#catalogs };
    this.#catalog = keepEqual(this.#catalog, withUnchanged(this.#catalog, catalog), reuseModelIfEqual);
    this.#upstreams = keepEqual(this.#upstreams, withUnchanged(this.#upstreams, upstreams), reuseUpstreamIfEqual);
    this.#priceLists = keepEqual(this.#priceLists, withUnchanged(this.#priceLists, priceLists), renewPriceList);
    this.#endpoints = new Set(endpoints);
    this.#catalogs = catalogsOf(this.#priceLists, this.#catalog, before);
  }
}

function withUnchanged<T>(before: ReadonlyMap<string, T>, changes: Changes<T>): ReadonlyMap<string, T> {
  return new Map([...changes].map(([id, value]) => [id, value ?? unchangedValue(before, id)]));
}

/** The value always exists: a process is sent the whole catalog when it connects, and every change after that. */
function unchangedValue<T>(values: ReadonlyMap<string, T>, id: string): T {
  const value = values.get(id);
  if (value === undefined) throw new Error(`the owner process named ${id} as unchanged, and this process does not have it`);
  return value;
}
