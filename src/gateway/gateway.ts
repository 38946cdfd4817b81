import type { CatalogStore } from "../stores/catalog/catalog-store.ts";
import type { LedgerStore } from "../stores/ledger/ledger-store.ts";
import type { LimitStore } from "../stores/limits/limit-store.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { Secret } from "../vocabulary/secret.ts";

import type { Account } from "../vocabulary/account.ts";
import type { KeyRecord } from "../vocabulary/api-key.ts";
import type { Claims } from "./claim.ts";

/** All that the steps of a request need. Each step uses the part that is its own. */
export interface Gateway {
  readonly keys: KeyStore;
  /** What keys are hashed with. */
  readonly hashSecret: Secret;
  readonly catalog: CatalogStore;
  readonly ledger: LedgerStore;
  readonly limits: LimitStore;
  /** The account that a key belongs to. */
  accountOf(caller: KeyRecord): Account;
  /** Idempotency keys whose request is under way. */
  readonly claims: Claims;
  /** By id, as routes name them. */
  upstreamOf(id: string): Upstream | undefined;
  readonly maxBodyBytes: number;
  /** Silence on a stream after which the caller gets a sign of life. */
  readonly keepAliveMs: number;
  readonly nowMs: () => number;
}
