import { version } from "../../package.json" with { type: "json" };
import type { Deliverer } from "../alerts/deliverer.ts";
import type { Reload } from "../config/hot-reload.ts";
import type { DeviationCounts } from "../gateway/routing/deviation-counts.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import type { Log } from "../lib/log/log.ts";
import type { Listener } from "../http/serve.ts";
import type { Stores } from "../stores/open-stores.ts";
import type { Measured } from "../telemetry/metrics/metrics.ts";
import type { Tracing } from "../telemetry/traces/tracing.ts";
import type { UpstreamHealth } from "../models/upstream-health.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";

/** Those that are asked how they fare. */
export interface Measurable {
  readonly stores: Stores;
  readonly gateway: Listener;
  readonly platform: Listener;
  readonly upstreamHealth: (settings: UpstreamSettings) => UpstreamHealth;
  readonly deviations: DeviationCounts;
  readonly deliverer: Deliverer;
  readonly tracing: Tracing | undefined;
  readonly reload: Reload | undefined;
  readonly bodies: BodyBudget;
  readonly log: Log;
}

/** What metrics tell beside what was counted: how everything fares at this moment. */
export async function measure(parts: Measurable): Promise<Measured> {
  const { stores, gateway, platform, upstreamHealth, deviations, deliverer, tracing, reload, bodies, log } = parts;
  return {
    process: {
      version,
      openRequests: { gateway: gateway.pendingRequests, platform: platform.pendingRequests },
      connections: { gateway: gateway.connections, platform: platform.connections },
      bodies,
      ledger: stores.ledger.state(),
      requestLog: stores.requestLog.state(),
      log,
      // With a database that cannot be read there is all the more to look at in the rest.
      webhooks: await deliverer.snapshot().catch(() => undefined),
      traces: tracing?.state,
      configFile: reload?.state,
    },
    upstreams: [...stores.catalog.upstreams()].map(([id, settings]) => [id, upstreamHealth(settings)]),
    deviations: deviations.snapshot(),
  };
}
