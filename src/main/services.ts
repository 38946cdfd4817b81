import type { Deliverer } from "../alerts/delivery/deliverer.ts";
import type { Config } from "../config.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { KeyRecords } from "../gateway/key-view/key-records.ts";
import type { Mirrors } from "../gateway/mirrors.ts";
import type { DeviationCounts } from "../gateway/routing/health/deviation-counts.ts";
import type { UpstreamStates } from "../gateway/routing/health/upstream-state.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import type { BackgroundTask } from "../lib/async/background-task.ts";
import type { Log } from "../lib/log/log.ts";
import type { TlsPairSource } from "../lib/net/tls-pair.ts";
import type { AccountStore } from "../stores/accounts/account-store.ts";
import type { RequestLogStore } from "../stores/request-log/request-log-store.ts";
import type { Stores } from "../stores/stores.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Tracing } from "../telemetry/traces/tracing.ts";
import type { Upstreams } from "../upstreams/registry.ts";
import type { RequestObserver } from "../requests/request-notes.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { DeviationCount } from "../models/deviation.ts";
import type { UpstreamHealth } from "../models/upstream-health.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";

/** In whole milliseconds: requests within the same millisecond are counted together in a rate limit. */
export const monotonicMs = (): number => Math.floor(performance.now());

/** The settings for serving model clients. */
export type GatewaySettings = Pick<
  Config,
  | "gateway"
  | "compatibility"
  | "sendsRouteHeaders"
  | "onDisconnect"
  | "maxBodyBytes"
  | "uploadSeconds"
  | "keepAliveSeconds"
  | "trustedProxies"
  | "cloudVariables"
  | "egress"
>;

/** The stores that serving model clients needs. */
export interface GatewayStores extends Pick<
  Gateway,
  "keys" | "catalog" | "isCurrent" | "catchUp" | "ledger" | "ledgerFailure" | "limits" | "lastUsed" | "responses" | "claims"
> {
  readonly accounts: Pick<AccountStore, "find">;
  readonly requestLog: Pick<RequestLogStore, "note" | "noteMirror">;
  readonly backgroundTasks: readonly BackgroundTask[];
}

/** The services that serving model clients needs, in any process. */
export interface GatewayServices {
  readonly config: GatewaySettings;
  readonly stores: GatewayStores;
  readonly keyRecords: KeyRecords;
  readonly upstreams: Upstreams;
  readonly upstreamStates: UpstreamStates;
  /** Observes requests that were rejected because of credit or spend caps. */
  readonly observeRefusals: RequestObserver;
  readonly hashSecret: Secret;
  /** The TLS pair of the gateway's listener, if it has TLS. */
  readonly tls: TlsPairSource | undefined;
  readonly deviations: DeviationCounts;
  readonly mirrors: Mirrors;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  /** The memory budget of request bodies, shared by all listeners of the process. */
  readonly bodies: BodyBudget;
  /** For a gateway process: whether the listener of its owner is not open yet. */
  readonly isStarting?: () => boolean;
  readonly log: Log;
  /** The system clock, for records and dates. */
  readonly nowMs: () => number;
  /** A monotonic clock in whole milliseconds, for durations within this process. */
  readonly monotonicMs: () => number;
}

/** The services that both listeners share. */
export interface Services extends GatewayServices {
  readonly config: Config;
  readonly stores: Stores;
  /** The health according to the calls of all processes. */
  readonly upstreamHealth: (settings: UpstreamSettings) => UpstreamHealth;
  /** Counted in the calls of all processes. */
  readonly allDeviations: () => DeviationCount[];
  readonly deliverer: Deliverer;
  /** The digest of the config file that this process has read, if it has one and processes share a database. */
  readonly configDigest?: () => string | undefined;
}
