import type { Declared } from "../catalog/catalog-store.ts";

/** The name of the service between the owner process and the catalogs of its gateway processes. */
export const DECLARATIONS = "declarations";

/** The notice of a change. Its body is the same as the initial state: all declarations, as tagged JSON. */
export const DECLARED = "declared";

/** The origins of models that are not in the database. */
export const ORIGINS = ["file", "environment"] as const;

export type Declarations = Readonly<Record<(typeof ORIGINS)[number], Declared>>;
