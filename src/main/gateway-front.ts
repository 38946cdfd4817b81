import type { IdempotencyLocks } from "../gateway/idempotency/idempotency-lock.ts";
import type { Listener } from "../http/serve.ts";
import type { CallAsKey } from "../platform/platform.ts";
import type { Processes } from "../platform/processes.ts";
import type { MergedMetrics } from "../telemetry/metrics/merged-metrics.ts";
import { serveGateway } from "./serve-gateway.ts";
import type { Services } from "./services.ts";
import { singleProcess } from "./single-process.ts";

/** Where model clients are served: in this process, or in gateway processes. */
export interface GatewayFront {
  /** The base URL of the gateway's port. */
  readonly url: string;
  /** The internal entry for people who are signed in to the platform. */
  readonly callAsKey: CallAsKey;
  readonly processes: Processes;
  /** The gateway's listener in this process, if it has one. */
  readonly listener: Listener | undefined;
  /** Collects the metrics of gateway processes, if there are any. */
  readonly collectMetrics?: () => Promise<MergedMetrics>;
  /** Requests of model clients in flight, also those that gateway processes have not reported yet. */
  countPending(): Promise<number>;
  /** Accepts no more connections, and resolves when no request is in flight. */
  drain(): Promise<void>;
  /** Before the ledger is closed: accepts no more requests. Gateway processes end, and their charges come into the ledger. */
  finish(): Promise<void>;
  /** After the ledger is closed: ends every connection. */
  close(): Promise<void>;
}

/** Serves model clients in this process. */
export function serveInThisProcess(services: Services, idempotencyLocks: IdempotencyLocks): GatewayFront {
  const { gateway: listener, callAsKey } = serveGateway(services, idempotencyLocks);
  return {
    url: listener.url,
    callAsKey,
    processes: singleProcess(listener),
    listener,
    countPending: async () => listener.pendingRequests,
    drain: () => listener.drain(),
    finish: async () => listener.finish(),
    close: () => listener.close(),
  };
}
