import type { IdempotencyLocks } from "../gateway/idempotency-lock.ts";
import { urlOf, type Listener } from "../http/serve.ts";
import type { CallAsKey } from "../platform/platform.ts";
import type { Processes, ProcessView } from "../platform/processes.ts";
import type { MergedMetrics } from "../telemetry/metrics/merged-metrics.ts";
import { gatewayProbes } from "../gateway/app.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { ClusterProcesses, statusOf } from "./cluster-processes.ts";
import { createGateway, serveGateway } from "./serve-gateway.ts";
import type { Services } from "./services.ts";
import { hostname } from "node:os";
import { version } from "../../package.json";
import { buildOf } from "../lib/this-program.ts";
import { ApiError } from "../requests/api-error.ts";
import { refuseWriteOff } from "./one-machine.ts";

/** Where model clients are served: in this process, or in gateway processes. */
export interface GatewayFront {
  /** The base URL of the gateway's port. */
  readonly url: string;
  /** The internal entry for people who are signed in to the platform. */
  readonly callAsKey: CallAsKey;
  readonly processes: Processes;
  /**
   * The probes for load balancers. They are on the platform's listener if the process does not serve both model clients and the platform.
   */
  readonly probes: readonly Endpoint[];
  /** The gateway's listener in this process, if it has one. */
  readonly listener: Listener | undefined;
  /** Collects the metrics of gateway processes, if there are any. */
  readonly collectMetrics?: () => Promise<MergedMetrics>;
  /** Called when the platform listens too: from now on gateway processes, if there are any, are ready. */
  readonly started?: () => Promise<void>;
  /** The number of requests of model clients in flight, including requests that gateway processes have not reported yet. */
  countPending(): Promise<number>;
  /** Stops accepting connections, and resolves when no request is in flight. */
  drain(): Promise<void>;
  /** Called before the ledger is closed: stops accepting requests. Gateway processes end, and their charges are written to the ledger. */
  finish(): Promise<void>;
  /** Called after the ledger is closed: closes every connection. */
  close(): Promise<void>;
}

/** Serves model clients in this process, unless other processes that share the database serve them. */
export function serveInThisProcess(services: Services, idempotencyLocks: IdempotencyLocks): GatewayFront {
  const front =
    services.config.database?.role === "platform" ? serveNoClients(services, idempotencyLocks) : serveClients(services, idempotencyLocks);
  const { database } = services.config;
  services.stores.instances?.report(() => statusOf(database!.role, front.listener, services.configDigest?.()));
  return front;
}

function serveClients(services: Services, idempotencyLocks: IdempotencyLocks): GatewayFront {
  const { instances } = services.stores;
  const { gateway: listener, callAsKey, probes } = serveGateway(services, idempotencyLocks, false, services.config.database !== undefined);
  return {
    url: listener.url,
    callAsKey,
    processes: instances ? new ClusterProcesses(instances) : singleProcess(listener),
    probes,
    listener,
    countPending: async () => listener.pendingRequests,
    drain: () => listener.drain(),
    finish: async () => listener.finish(),
    close: () => listener.close(),
  };
}

/** Calls models only for people who are signed in to the platform. For these calls it leases credit like any other process. */
function serveNoClients(services: Services, idempotencyLocks: IdempotencyLocks): GatewayFront {
  const { config, stores } = services;
  const { gateway, callAsKey } = createGateway(services, idempotencyLocks, () => false);
  return {
    url: urlOf(config.gateway),
    callAsKey,
    processes: new ClusterProcesses(stores.instances!),
    probes: gatewayProbes(gateway),
    listener: undefined,
    countPending: async () => 0,
    drain: async () => undefined,
    finish: async () => undefined,
    close: async () => undefined,
  };
}

const ID = "single";

/** The single process, which no other process can restart. */
function singleProcess(gateway: Listener): Processes {
  return {
    isRestarting: false,
    list: async () => [viewOf(gateway)],
    find: async (id) => (id === ID ? viewOf(gateway) : undefined),
    writeOff: refuseWriteOff,
    restart: () =>
      Promise.reject(
        new ApiError(
          "state_conflict",
          "Tollgate runs as a single process: restart it where it was started, for example with systemctl restart tollgate. A rolling restart needs --processes 2 or more.",
        ),
      ),
  };
}

function viewOf(gateway: Listener): ProcessView {
  const { authenticated, unauthenticated } = gateway.connections;
  return {
    id: ID,
    role: "single",
    host: hostname(),
    pid: process.pid,
    state: gateway.isDraining ? "draining" : "live",
    startedAtMs: performance.timeOrigin,
    heartbeatAgeMs: null,
    inFlight: gateway.pendingRequests,
    connections: authenticated + unauthenticated,
    memoryBytes: process.memoryUsage.rss(),
    version: buildOf(version),
    leases: [],
  };
}
