import type { Catalog } from "../../vocabulary/catalog.ts";

/** Keeps the models that there are. */
export interface CatalogStore {
  /** The catalog as it is now. A request takes one snapshot and keeps to it. */
  snapshot(): Catalog;
  /** Puts another catalog in its place. Requests under way keep the one they have. */
  replace(catalog: Catalog): void;
}
