import { gatewayEndpoints } from "../gateway/app.ts";
import type { Claims } from "../gateway/claim.ts";
import { RetryBudgets } from "../gateway/routing/retry-budget.ts";
import { logRequests } from "../http/log-line.ts";
import { logFailure } from "../http/log.ts";
import { serve, type Listener } from "../http/serve.ts";
import type { Parts } from "./parts.ts";

const KEEP_ALIVE_MS = 15_000;

/** Opens the listener of model-calling clients. */
export function serveGateway(parts: Parts, claims: Claims): Listener {
  const { config, stores, upstreams, upstreamStates, hashSecret, deviations, observeRefusals, metrics, tracing, log, nowMs } = parts;
  const { accounts, catalog } = stores;
  return serve({
    name: "gateway",
    ...config.gateway,
    endpoints: gatewayEndpoints({
      ...stores,
      hashSecret,
      accountOf: (caller) => accounts.find(caller.accountId)!,
      claims,
      upstreams: () => upstreams.among(catalog.upstreams()),
      upstreamStates,
      retryBudgets: new RetryBudgets(() => performance.now()),
      deviations,
      tellsRoutes: config.tellsRoutes,
      maxBodyBytes: config.maxBodyBytes,
      keepAliveMs: KEEP_ALIVE_MS,
      nowMs,
      beginTrace: tracing?.begin,
    }),
    observers: [
      logRequests(log),
      metrics.ofGateway(),
      (ended) => stores.requestLog.note(ended),
      observeRefusals,
      ...(tracing ? [tracing.observe] : []),
    ],
    reportFailure: (thrown) => logFailure(log, "a request could not be told of", thrown),
    openToBrowsers: true,
    errorFormat: "chat-completions",
  });
}
