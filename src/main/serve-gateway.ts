import { callerBehindProxy } from "../http/caller-behind-proxy.ts";
import { isKeyValid } from "../gateway/authentication.ts";
import { GuessThrottle, AuthorizationCache } from "../gateway/authentication-state.ts";
import { RejectionBudget } from "../gateway/reading/rejection-budget.ts";
import {
  gatewayEndpoints,
  gatewayProbes,
  optionalEndpoints,
  LITELLM_KEY_HEADERS,
  litellmEndpoints,
  hintForUnknownUrl,
} from "../gateway/app.ts";
import { callAsKey } from "../gateway/call-as-key.ts";
import type { IdempotencyLocks } from "../gateway/idempotency-lock.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { ModelLists } from "../gateway/serialized-model-lists.ts";
import { RetryBudgets } from "../gateway/routing/retry-budget.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { RespondOptions } from "../http/respond.ts";
import { logRequests } from "../http/log-line.ts";
import { logFailure } from "../lib/log/log.ts";
import { serve, type Listener } from "../http/serve.ts";
import type { CallAsKey } from "../platform/platform.ts";
import type { GatewayServices } from "./services.ts";
import { connectionLimit } from "./file-descriptor-limit.ts";
import { INHERITED_DESCRIPTOR } from "./processes/shared-socket.ts";
import { BackgroundTasks } from "./background-tasks.ts";

const KEEP_ALIVE_MS = 15_000;

/** The gateway without a listener. */
interface GatewayParts {
  readonly gateway: Gateway;
  readonly options: RespondOptions;
  /** The internal entry for people who are signed in to the platform. */
  readonly callAsKey: CallAsKey;
}

/** Constructs the gateway. If it has its own listener, that listener knows whether it is draining. */
export function createGateway(services: GatewayServices, idempotencyLocks: IdempotencyLocks, isDraining: () => boolean): GatewayParts {
  const { config, stores, keyRecords, upstreams, upstreamStates, hashSecret, deviations, mirrors, tracing, bodies } = services;
  const { accounts, catalog } = stores;
  const gateway: Gateway = {
    ...stores,
    keyRecords,
    hashSecret,
    authorizationCache: new AuthorizationCache(),
    guesses: new GuessThrottle(services.monotonicMs),
    rejections: new RejectionBudget(services.monotonicMs),
    modelLists: new ModelLists(),
    isDraining,
    isStarting: services.isStarting,
    accountOf: (caller) => accounts.find(caller.accountId)!,
    bodies,
    unpaidUploads: new Set(),
    idempotencyLocks,
    upstreams: () => upstreams.among(catalog.upstreams()),
    upstreamStates,
    retryBudgets: new RetryBudgets(() => performance.now()),
    deviations,
    mirrors,
    ...(config.compatibility === "litellm" && { otherKeyHeaders: LITELLM_KEY_HEADERS }),
    sendsRouteHeaders: config.sendsRouteHeaders,
    // A shutdown does not wait for clients that have disconnected.
    onDisconnect: () => (isDraining() ? "cancel" : config.onDisconnect),
    maxBodyBytes: config.maxBodyBytes,
    keepAliveMs: KEEP_ALIVE_MS,
    nowMs: services.nowMs,
    monotonicMs: services.monotonicMs,
    startTrace: tracing?.begin,
  };
  const options = respondOptions(services);
  return { gateway, options, callAsKey: (resolveCaller, exchange) => callAsKey(resolveCaller, exchange, gateway, options) };
}

function respondOptions({ stores, observeRefusals, metrics, tracing, log, nowMs }: GatewayServices): RespondOptions {
  return {
    name: "gateway",
    observers: [
      // The mirror comes first, because it removes the prompt from the notes.
      (ended) => ended.notes.mirror?.ended(ended),
      logRequests(log),
      metrics.ofGateway(),
      (ended) => stores.requestLog.note(ended),
      observeRefusals,
      ...(tracing ? [tracing.observe] : []),
      new BackgroundTasks([...stores.backgroundTasks, log.backgroundTask]).observe,
    ],
    reportFailure: (thrown) => logFailure(log, "a request observer failed", thrown),
    openToBrowsers: true,
    errorFormat: "chat-completions",
    nowMs,
  };
}

function endpointsOf(gateway: Gateway, { endpoints, compatibility }: GatewayServices["config"]): Endpoint[] {
  return [
    ...gatewayEndpoints(gateway, endpoints),
    ...optionalEndpoints(gateway, endpoints),
    ...(compatibility === "litellm" ? litellmEndpoints(gateway, endpoints) : []),
  ];
}

/**
 * When draining starts, calls for clients that have disconnected are cancelled within milliseconds. A call that is settled later than this
 * is charged at the next start.
 */
const SETTLE_LIMIT_MS = 2_000;

/** Resolves when no request of this process has a hold: after a drain, calls for clients that have disconnected are settled. */
export async function callsSettled({ ledger }: Pick<Gateway, "ledger">): Promise<void> {
  const deadline = performance.now() + SETTLE_LIMIT_MS;
  while (ledger.state().openHolds > 0 && performance.now() < deadline) await Bun.sleep(10);
}

/**
 * Starts the listener for model clients. `sharesPort`: other processes of this gateway listen on the same port, or on the socket that their
 * owner has opened. `hasPeers`: other processes serve the same clients, on this port or behind a load balancer.
 */
export function serveGateway(
  services: GatewayServices,
  idempotencyLocks: IdempotencyLocks,
  sharesPort = false,
  hasPeers = sharesPort,
): { gateway: Listener; callAsKey: CallAsKey; probes: readonly Endpoint[] } {
  const { config, bodies, log, tls } = services;
  const { socket } = config.gateway;
  const parts = createGateway(services, idempotencyLocks, () => listener.isDraining);
  const listener = serve({
    ...parts.options,
    ...config.gateway,
    socket: socket && sharesPort ? { descriptor: INHERITED_DESCRIPTOR } : socket,
    tls,
    ...connectionLimit("gateway", log),
    sharesPort,
    hasPeers,
    bodies,
    uploadSeconds: config.uploadSeconds,
    keepAliveSeconds: config.keepAliveSeconds,
    trustedProxies: config.trustedProxies,
    callerOf: callerBehindProxy(config.trustedProxies, socket !== undefined),
    isCredentialValid: (keyId) => isKeyValid(keyId, parts.gateway),
    endpoints: endpointsOf(parts.gateway, config),
    hintForUnknown: (path) => hintForUnknownUrl(path, config.endpoints),
  });
  return { gateway: listener, callAsKey: parts.callAsKey, probes: gatewayProbes(parts.gateway) };
}
