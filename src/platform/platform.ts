import type { CatalogStore } from "../stores/catalog/catalog-store.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import type { Secret } from "../vocabulary/secret.ts";

/** All that the platform's endpoints need. */
export interface Platform {
  readonly keys: KeyStore;
  readonly catalog: CatalogStore;
  /** What keys are hashed with. */
  readonly hashSecret: Secret;
  readonly operatorToken: Secret;
  nowMs(): number;
}
