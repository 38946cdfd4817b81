import type { DeclaredCatalog } from "../catalog/catalog-store.ts";

/** The name of the service between the owner process and the catalogs of its gateway processes. */
export const DECLARATIONS = "declarations";

/** The declarations that are in force in the owner process. Sent as tagged JSON. */
export interface InForceAtOwner {
  readonly environment: DeclaredCatalog;
  readonly file: DeclaredCatalog;
}
