import type { Declared } from "../catalog/catalog-store.ts";

/** The name of the service between the owner process and the catalogs of its gateway processes. */
export const DECLARATIONS = "declarations";

/** What the owner process has in force. It is sent as tagged JSON. */
export interface InForceAtOwner {
  readonly environment: Declared;
  readonly file: Declared;
}
