import type { CatalogStore } from "../stores/catalog/catalog-store.ts";
import type { LedgerStore } from "../stores/ledger/ledger-store.ts";
import type { LimitStore } from "../stores/limits/limit-store.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import type { ResponseStore } from "../stores/responses/response-store.ts";
import type { LastUsedStore } from "../stores/last-used/use-store.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { RequestTrace } from "../requests/request-trace.ts";
import type { Secret } from "../lib/secret/secret.ts";

import type { BodyBudget } from "../http/body-budget.ts";
import type { Account } from "../access/account.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { Claims } from "./idempotency/idempotency-lock.ts";
import type { AuthorizationCache } from "./authentication/authorization-cache.ts";
import type { ModelLists } from "./model-list/model-lists.ts";
import type { DeviationCounts } from "./routing/health/deviation-counts.ts";
import type { RetryBudgets } from "./routing/retry-budget.ts";
import type { UpstreamStates } from "./routing/health/upstream-state.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";

/** Finds an upstream by the id that routes name it by. */
export type FindUpstream = (id: string) => Upstream | undefined;

/** All that the steps of a request need. Each step uses the part that is its own. */
export interface Gateway {
  readonly keys: KeyStore;
  /** What `GET /v1/models` answers. */
  readonly modelLists: ModelLists;
  /** What keys are hashed with. */
  readonly hashSecret: Secret;
  /** Whose texts need not be hashed again. */
  readonly knownTexts: AuthorizationCache;
  /**
   * For a request of the platform's: says whose key it is made with, or throws. Undefined for all that comes over the gateway's own
   * listener: there only the text of a key will do.
   */
  readonly resolveCaller?: () => KeyRecord;
  readonly catalog: CatalogStore;
  readonly ledger: LedgerStore;
  /** Why the ledger cannot be written at the moment, if that is so. */
  readonly ledgerTrouble: () => string | undefined;
  /** Whether no more connections are accepted. */
  readonly isDraining: () => boolean;
  readonly limits: LimitStore;
  readonly uses: LastUsedStore;
  /** Answers that are kept for the same question again, of models that want it. */
  readonly responses: ResponseStore;
  /** The account that a key belongs to. */
  accountOf(caller: KeyRecord): Account;
  /** The memory of request bodies, and how many were rejected. */
  readonly bodies: BodyBudget;
  /** The keys and accounts without credit that a body is being received of. */
  readonly unpaidUploads: Set<string>;
  /** Idempotency keys whose request is under way. */
  readonly claims: Claims;
  /** The upstreams as they are now. A request keeps to those of the moment it was let in, as it does to the models. */
  upstreams(): FindUpstream;
  /** What is known of them from calling them. */
  readonly upstreamStates: UpstreamStates;
  /** How often each model's calls may be tried again. */
  readonly retryBudgets: RetryBudgets;
  /** Counts in what the answers of upstreams part from their format. */
  readonly deviations: DeviationCounts;
  /** Whether callers are told which upstream answered, and after how many tries. */
  readonly tellsRoutes: boolean;
  readonly maxBodyBytes: number;
  /** Silence on a stream after which the caller gets a sign of life. */
  readonly keepAliveMs: number;
  /** The system clock: what is recorded, and what has a date. */
  readonly nowMs: () => number;
  /** Whole milliseconds by a clock that nobody sets: how long something lasts within this process. */
  readonly monotonicMs: () => number;
  /** Finds the place of a request in a trace. Undefined where traces are off. */
  readonly beginTrace?: ((headers: HeaderFields) => RequestTrace) | undefined;
}
