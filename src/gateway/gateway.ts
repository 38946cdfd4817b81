import type { CatalogReader } from "../stores/catalog/catalog-store.ts";
import type { ClaimStore } from "../stores/claims/claim-store.ts";
import type { LedgerStore } from "../stores/ledger/ledger-store.ts";
import type { LimitStore } from "../stores/limits/limit-store.ts";
import type { KeyReader } from "../stores/keys/key-store.ts";
import type { ResponseStore } from "../stores/responses/response-store.ts";
import type { LastUsedRecorder } from "../stores/last-used/last-used-store.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { DisconnectPolicy } from "../requests/disconnect-policy.ts";
import type { RequestTrace } from "../requests/request-trace.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import type { Account } from "../access/account.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { IdempotencyLocks } from "./idempotency-lock.ts";
import type { GuessThrottle, AuthorizationCache } from "./authentication-state.ts";
import type { KeyRecords } from "./key-view/key-records.ts";
import type { Mirrors } from "./mirrors.ts";
import type { ModelLists } from "./serialized-model-lists.ts";
import type { DeviationCounts } from "./routing/health/deviation-counts.ts";
import type { RejectionBudget } from "./reading/rejection-budget.ts";
import type { RetryBudgets } from "./routing/retry-budget.ts";
import type { UpstreamStates } from "./routing/health/upstream-state.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";

/** Finds an upstream by the id that routes name it by. */
export type FindUpstream = (id: string) => Upstream | undefined;

/** The dependencies of the steps of a request. Each step uses some of them. */
export interface Gateway {
  readonly keys: KeyReader;
  /** The responses of `GET /v1/models`. */
  readonly modelLists: ModelLists;
  /** The secret that keys are hashed with. */
  readonly hashSecret: Secret;
  /** The authorization cache: keys that need not be hashed again. */
  readonly authorizationCache: AuthorizationCache;
  readonly guesses: GuessThrottle;
  readonly rejections: RejectionBudget;
  /**
   * For a request from the platform: returns the key that makes the request, or throws. Undefined for requests over the gateway's own
   * listener, which requires the plaintext key.
   */
  readonly resolveCaller?: () => KeyRecord;
  readonly catalog: CatalogReader;
  /** Whether keys, accounts and models are up to date. Undefined if this process is the one that stores them. */
  readonly isCurrent?: () => boolean;
  /**
   * Reads the changes of keys, accounts and models that other processes have made until now, before something is rejected as unknown.
   * Throws `overloaded` if the changes cannot be read. Undefined if this process is notified of each change before the change is confirmed.
   */
  readonly catchUp?: () => Promise<void>;
  readonly ledger: LedgerStore;
  /** The records of a key, for its holder. */
  readonly keyRecords: KeyRecords;
  /** Why the ledger cannot be written at the moment; undefined if it can. */
  readonly ledgerFailure: () => string | undefined;
  /** Whether the gateway is shutting down and accepts no more connections. */
  readonly isDraining: () => boolean;
  /** Whether the process is starting and another listener is not open yet. Undefined if all listeners are opened together. */
  readonly isStarting?: (() => boolean) | undefined;
  readonly limits: LimitStore;
  readonly lastUsed: LastUsedRecorder;
  /** The response cache, for models that have one. */
  readonly responses: ResponseStore;
  /** The account that a key belongs to. */
  readonly accountOf: (caller: KeyRecord) => Account;
  /** The memory of request bodies, and how many were rejected. */
  readonly bodies: BodyBudget;
  /** The keys and accounts without credit that have an upload in flight. */
  readonly unpaidUploads: Set<string>;
  /** The idempotency keys under which a request is in flight. */
  readonly claims: ClaimStore;
  readonly idempotencyLocks: IdempotencyLocks;
  /** The current upstreams. A request uses the upstreams, and the model, as they were at its admission. */
  readonly upstreams: () => FindUpstream;
  /** Their health: circuit breakers, cooldowns, concurrency slots. */
  readonly upstreamStates: UpstreamStates;
  /** One retry budget for each model. */
  readonly retryBudgets: RetryBudgets;
  /** Counts the format deviations of upstream responses. */
  readonly deviations: DeviationCounts;
  /** Sends copies of requests to the mirrors of models. */
  readonly mirrors: Mirrors;
  /** The headers, besides `Authorization`, in which clients of another gateway send their key. Undefined if there are none. */
  readonly otherKeyHeaders?: readonly string[] | undefined;
  /** Whether a request with two different keys is rejected. Otherwise `Authorization` takes precedence. */
  readonly refusesSecondKey?: boolean | undefined;
  /** Whether replies name the upstream and the number of attempts (`TOLLGATE_ROUTE_HEADERS`). */
  readonly sendsRouteHeaders: boolean;
  /** What happens to a call whose client disconnects at this moment (`TOLLGATE_ON_DISCONNECT`). */
  readonly onDisconnect: () => DisconnectPolicy;
  readonly maxBodyBytes: number;
  /** The idle time on a stream after which a keep-alive comment is sent. */
  readonly keepAliveMs: number;
  /** The system clock, for records and dates. */
  readonly nowMs: () => number;
  /** The monotonic clock in whole milliseconds, for durations within this process. */
  readonly monotonicMs: () => number;
  /** Starts the span of a request. Undefined if tracing is off. */
  readonly startTrace?: ((headers: HeaderFields) => RequestTrace) | undefined;
}
