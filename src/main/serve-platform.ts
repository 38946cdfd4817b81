import { join } from "node:path";
import { version } from "../../package.json";
import { COMMIT } from "../lib/this-program.ts";
import type { OidcProvider } from "../config/oidc-settings.ts";
import type { HotReload } from "../config/hot-reload.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { logRequests } from "../http/log-line.ts";
import { logFailure } from "../lib/log/log.ts";
import { serve, type Listener } from "../http/serve.ts";
import { platformEndpoints } from "../platform/app.ts";
import { callerBehindProxy } from "../http/caller-behind-proxy.ts";
import { ownHosts } from "../platform/own-hosts.ts";
import { securityHeaders } from "../platform/security-headers.ts";
import { BuiltConsole, isVisit } from "../platform/console/built-console.ts";
import { MinuteThrottle } from "../platform/minute-throttle.ts";
import { ConcurrencyLimit } from "../platform/concurrency-limit.ts";
import { METRICS_PATH } from "../platform/endpoints/installation.ts";
import type { CallAsKey, Platform } from "../platform/platform.ts";
import type { Processes } from "../platform/processes.ts";
import { OidcSignIn } from "../platform/sign-in/oidc.ts";
import { prepareSignIn, type SignIn } from "../platform/sign-in/sign-in.ts";
import { defaultTierBounds, findDefaultPrices } from "../models/prices/find-default-prices.ts";
import type { InstanceRole } from "../stores/ledger/instance-store.ts";
import { loadOrCreateSecret } from "../stores/secret-file.ts";
import { examine } from "../upstreams/doctor/examine.ts";
import { plainFetch } from "../upstreams/egress/plain-fetch.ts";
import { upstreamModelAt } from "../models/catalog.ts";
import { createUpstream, DIALECTS_OVER_HTTP } from "../upstreams/registry.ts";
import { testConnection } from "../upstreams/test-connection.ts";
import { baseUrlOf, basePathOf } from "../lib/net/public-address.ts";
import type { TlsPairSource } from "../lib/net/tls-pair.ts";
import { readLastBackup } from "./backup/last-backup.ts";
import type { Services } from "./services.ts";
import { connectionLimit } from "./file-descriptor-limit.ts";

/** The output folder of `npm run console`. */
const CONSOLE = join(import.meta.dir, "../../dist/console");
const MEMBER_CHANGES_IN_A_MINUTE = 240;

/** The services of this listener in addition to the shared ones. */
interface PlatformServices extends Omit<Services, "tls"> {
  /** The TLS pair of its listener, if it has TLS. */
  readonly tls: TlsPairSource | undefined;
  readonly reload: HotReload | undefined;
  readonly writeMetrics: () => Promise<string>;
  /** The gateway's base URL for clients. */
  readonly gatewayUrl: string;
  readonly callAsKey: CallAsKey;
  readonly processes: Processes;
  /** The probes for load balancers. They are here if this process does not serve both model clients and the platform. */
  readonly probes: readonly Endpoint[];
  /** Resolves when all changes made before are in force in every gateway process. */
  readonly propagated: (() => Promise<void>) | undefined;
}

/** Starts the listener for operators and members. */
export function servePlatform(services: PlatformServices): { platform: Listener; signIn: SignIn; address: () => string } {
  const { config, stores, upstreamHealth, allDeviations, deliverer, hashSecret, metrics, log, nowMs, monotonicMs } = services;
  const { identities } = services.upstreams;
  const { tls, reload, writeMetrics, gatewayUrl, callAsKey, processes, probes, propagated } = services;
  const address = (): string => (config.platformUrl ? baseUrlOf(config.platformUrl) : platform.url);
  const basePath = config.platformUrl ? basePathOf(config.platformUrl) : "";
  const hasConsole = config.database?.role !== "gateway";
  const builtConsole = new BuiltConsole(CONSOLE, basePath);
  const signIn = prepareSignIn(config.platformUrl, config.oidc && createOidc(config.oidc, address), tls !== undefined);
  const operatorToken = config.operatorToken ?? loadOrCreateSecret(join(config.dataFolder, "operator-token"), "tollgate-operator-");
  const platform = serve({
    name: "platform",
    ...config.platform,
    tls,
    ...connectionLimit("platform", log),
    bodies: services.bodies.forPlatform(),
    uploadSeconds: config.uploadSeconds,
    keepAliveSeconds: config.keepAliveSeconds,
    trustedProxies: config.trustedProxies,
    endpoints: endpointsOf(config.database?.role, probes, {
      ...stores,
      config: reload,
      lastBackup: () => readLastBackup(config.dataFolder),
      signIn,
      publicUrl: address,
      console: builtConsole,
      version,
      commit: COMMIT,
      gatewayUrl,
      requestLogDays: config.requestLog.days,
      hashSecret,
      operatorToken,
      callAsKey,
      processes,
      propagated,
      testUpstream: (settings, signal) =>
        testConnection(settings, DIALECTS_OVER_HTTP, identities, signal, upstreamModelAt(settings.id, stores.catalog.snapshot())),
      examineUpstream: (settings, model, kind, signal) => examine(createUpstream(settings, identities), model, signal, kind),
      deviations: allDeviations,
      upstreamHealth,
      metrics: writeMetrics,
      testWebhook: (webhook) => deliverer.sendTest(webhook),
      wakeDeliveries: () => deliverer.wake(),
      listPrices: { tierBounds: defaultTierBounds, find: findDefaultPrices },
      memberChanges: new MinuteThrottle(MEMBER_CHANGES_IN_A_MINUTE, "Too many changes per minute. Try again later."),
      reportLimit: new ConcurrencyLimit(),
      reportFailure: (message, thrown) => logFailure(log, message, thrown),
      nowMs,
      monotonicMs,
    }),
    observers: [logRequests(log), metrics.ofPlatform()],
    reportFailure: (thrown) => logFailure(log, "a request observer failed", thrown),
    openToBrowsers: false,
    errorFormat: "problem-details",
    nowMs,
    replyHeaders: securityHeaders(config.platformUrl),
    // Without pages and sessions, an attacker gains nothing from DNS rebinding, and Prometheus may use any name or address for this
    // listener.
    ...(hasConsole && { isOwnHost: ownHosts(config.platform.hostname, config.platformUrl) }),
    basePath,
    pageForUnknown: (request) => (isVisit(request) && hasConsole ? builtConsole.page(404) : undefined),
    callerOf: callerBehindProxy(config.trustedProxies, config.platform.socket !== undefined),
  });
  return { platform, signIn, address };
}

/** A process that serves only model clients has its metrics here, for Prometheus. */
function endpointsOf(role: InstanceRole = "all", probes: readonly Endpoint[], platform: Platform): Endpoint[] {
  const endpoints = platformEndpoints(platform);
  if (role === "all") return endpoints;
  return [...probes, ...(role === "platform" ? endpoints : endpoints.filter(({ path }) => path === METRICS_PATH))];
}

/** The redirect URI is a getter, because the platform's URL is known for certain only once it listens. */
function createOidc(provider: OidcProvider, address: () => string): OidcSignIn {
  const settings = {
    ...provider,
    get redirectUrl() {
      return `${address()}/api/sign-in/oidc/callback`;
    },
  };
  return new OidcSignIn(settings, plainFetch(provider.issuer));
}
