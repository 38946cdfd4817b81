import { version } from "../../package.json" with { type: "json" };
import { COMMIT } from "../lib/this-program.ts";
import type { Deliverer } from "../alerts/delivery/deliverer.ts";
import type { HotReload } from "../config/hot-reload.ts";
import type { Mirrors } from "../gateway/mirrors.ts";
import type { DeviationCounts } from "../gateway/routing/health/deviation-counts.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import type { Log } from "../lib/log/log.ts";
import type { Listener } from "../http/serve.ts";
import type { Processes, ProcessView } from "../platform/processes.ts";
import { CONNECTION_CLOSURES, type ConnectionClosure } from "../lib/http1/server/connection-closures.ts";
import type { Stores } from "../stores/stores.ts";
import type { GaugeValues } from "../telemetry/metrics/metrics.ts";
import type { Tracing } from "../telemetry/traces/tracing.ts";
import type { UpstreamHealth } from "../models/upstream-health.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";

/**
 * The sources of gauges. A source is undefined if the process does not have it: a gateway process has no platform, and its owner has no
 * gateway.
 */
export interface MetricSources {
  readonly stores: {
    readonly ledger: Pick<Stores["ledger"], "state">;
    readonly requestLog: Pick<Stores["requestLog"], "state">;
    readonly catalog: Pick<Stores["catalog"], "upstreams">;
    /** Present if this process has the rollups of usage. */
    readonly ledgerRecords?: Pick<Stores["ledgerRecords"], "attributionOverflows">;
  };
  readonly gateway: MeasuredListener | undefined;
  readonly platform: MeasuredListener | undefined;
  readonly upstreamHealth: (settings: UpstreamSettings) => UpstreamHealth;
  readonly deviations: DeviationCounts;
  readonly mirrors: Mirrors;
  readonly deliverer: Deliverer | undefined;
  readonly processes: Pick<Processes, "list"> | undefined;
  readonly tracing: Tracing | undefined;
  readonly reload: HotReload | undefined;
  readonly bodies: BodyBudget;
  readonly log: Pick<Log, "dropped">;
}

type MeasuredListener = Pick<Listener, "pendingRequests" | "connections">;

const NO_LISTENER: MeasuredListener = {
  pendingRequests: 0,
  connections: {
    authenticated: 0,
    unauthenticated: 0,
    closed: Object.fromEntries(CONNECTION_CLOSURES.map((reason) => [reason, 0])) as Record<ConnectionClosure, number>,
  },
};

/** Collects the current values of all gauges at a scrape. */
export async function collectMetrics(services: MetricSources): Promise<GaugeValues> {
  const {
    stores,
    gateway = NO_LISTENER,
    platform = NO_LISTENER,
    upstreamHealth,
    deviations,
    mirrors,
    deliverer,
    processes,
    tracing,
    reload,
    bodies,
    log,
  } = services;
  return {
    process: {
      version,
      commit: COMMIT,
      openRequests: { gateway: gateway.pendingRequests, platform: platform.pendingRequests },
      connections: { gateway: gateway.connections, platform: platform.connections },
      bodies,
      mirrors,
      ledger: stores.ledger.state(),
      requestLog: stores.requestLog.state(),
      attributionOverflows: stores.ledgerRecords?.attributionOverflows(),
      log,
      // If the database cannot be read, the other metrics are all the more important.
      webhooks: await deliverer?.snapshot().catch(() => undefined),
      instances: await processes?.list().then(countInstances, () => undefined),
      traces: tracing?.state,
      configFile: reload?.state,
    },
    upstreams: [...stores.catalog.upstreams()].map(([id, settings]) => [id, upstreamHealth(settings)]),
    deviations: deviations.snapshot(),
  };
}

function countInstances(all: readonly ProcessView[]): GaugeValues["process"]["instances"] {
  const ofState = (wanted: ProcessView["state"]): { count: number; leasedNanos: bigint } => {
    const found = all.filter(({ state }) => state === wanted);
    const credit = found.flatMap(({ leases }) => leases).filter(({ purse }) => purse.scope === "account");
    return { count: found.length, leasedNanos: credit.reduce((sum, { nanos }) => sum + nanos, 0n) };
  };
  return { starting: ofState("starting"), live: ofState("live"), disconnected: ofState("disconnected"), draining: ofState("draining") };
}
