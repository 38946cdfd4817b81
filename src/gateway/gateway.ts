import type { CatalogStore } from "../stores/catalog/catalog-store.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { Secret } from "../vocabulary/secret.ts";

/** All that the steps of a request need. Each step uses the part that is its own. */
export interface Gateway {
  readonly keys: KeyStore;
  /** What keys are hashed with. */
  readonly hashSecret: Secret;
  readonly catalog: CatalogStore;
  /** By id, as routes name them. */
  upstreamOf(id: string): Upstream | undefined;
  readonly maxBodyBytes: number;
  /** Silence on a stream after which the caller gets a sign of life. */
  readonly keepAliveMs: number;
  nowMs(): number;
}
