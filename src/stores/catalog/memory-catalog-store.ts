import type { Catalog } from "../../vocabulary/catalog.ts";
import type { CatalogStore } from "./catalog-store.ts";

/** A catalog that is declared or discovered anew at every start, and so needs no keeping. */
export class MemoryCatalogStore implements CatalogStore {
  #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  snapshot(): Catalog {
    return this.#catalog;
  }

  replace(catalog: Catalog): void {
    this.#catalog = catalog;
  }
}
