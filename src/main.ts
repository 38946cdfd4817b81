import { join } from "node:path";
import type { Deliverer } from "./alerts/deliverer.ts";
import { startAlerts } from "./alerts/start-alerts.ts";
import { ConfigError } from "./config/config-error.ts";
import type { Config, OidcProvider } from "./config.ts";
import { prepareDataFolder } from "./config/data-folder.ts";
import { Declarations } from "./config/declarations.ts";
import { makeFirstKey, withDiscovered } from "./first-run.ts";
import { gatewayEndpoints } from "./gateway/app.ts";
import type { Claims } from "./gateway/claim.ts";
import { DeviationCounts } from "./gateway/routing/deviation-counts.ts";
import { RetryBudgets } from "./gateway/routing/retry-budget.ts";
import { UpstreamStates } from "./gateway/routing/upstream-state.ts";
import type { Log } from "./http/log.ts";
import { logRequests } from "./http/log-line.ts";
import { serve, type Listener } from "./http/serve.ts";
import { openTracing } from "./open-tracing.ts";
import { platformEndpoints } from "./platform/app.ts";
import { callerBehindProxy } from "./platform/caller-behind-proxy.ts";
import { ownHosts, platformHeaders } from "./platform/edge.ts";
import { welcomeUrl } from "./platform/endpoints/people/invitation-view.ts";
import { MinuteThrottle } from "./platform/minute-throttle.ts";
import { OidcSignIn } from "./platform/sign-in/oidc.ts";
import { prepareSignIn, type SignIn } from "./platform/sign-in/sign-in.ts";
import { measure } from "./measure.ts";
import { prepareRequestLog } from "./prepare-request-log.ts";
import { openStores, type Stores } from "./stores/open-stores.ts";
import type { KeyStore } from "./stores/keys/key-store.ts";
import { keepSecret, readSecret } from "./stores/secret-file.ts";
import { webhookCaller } from "./upstreams/call-webhook.ts";
import { examine } from "./upstreams/doctor/examine.ts";
import { discoverModels, type Discovery } from "./upstreams/discover-models.ts";
import { plainFetch } from "./upstreams/plain-fetch.ts";
import { testConnection } from "./upstreams/test-connection.ts";
import { recordOf, Reload } from "./config/reload.ts";
import type { Tracing } from "./telemetry/traces/tracing.ts";
import { createUpstream, DIALECTS_OVER_HTTP, Upstreams } from "./upstreams/registry.ts";
import { Metrics } from "./telemetry/metrics/metrics.ts";
import { defaultTierBounds, findDefaultPrices } from "./prices/find-default-prices.ts";
import { remarksOn } from "./vocabulary/remarks.ts";
import { Secret } from "./vocabulary/secret.ts";
import type { UpstreamHealth } from "./vocabulary/upstream-health.ts";
import type { UpstreamSettings } from "./vocabulary/upstream-settings.ts";

/** A running Tollgate. */
export interface Tollgate {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  /** Where the first operator signs in: a link that works once, while there is nobody yet. */
  readonly signInUrl: Secret | undefined;
  /** What the upstreams of the environment and of this machine said when they were asked for their models. */
  readonly discovered: Promise<readonly Discovery[]>;
  /** What of the catalog is never used, for want of a price. */
  readonly remarks: readonly string[];
  countKeys(): number;
  /** Whether any account has something to spend. */
  hasCredit(): boolean;
  /** Makes the key that a gateway which nobody has configured shows on its very first start. */
  makeFirstKey(): Promise<Secret>;
  readonly pendingRequests: number;
  /** Reads the config file again, if there is one, and tells the log how it went. */
  reload(): Promise<void>;
  /** Takes no more requests, and resolves when those under way have been answered. */
  drain(): Promise<void>;
  /** Ends everything now. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 15_000;
const MEMBER_CHANGES_IN_A_MINUTE = 240;

/** Config → stores → listeners. */
export async function start(config: Config, log: Log): Promise<Tollgate> {
  const nowMs = Date.now;
  const { dataFolder, durability, secret, oldSecret, file } = config;
  prepareDataFolder(dataFolder);
  const requestLog = await prepareRequestLog(config, log);
  const stores = await openStores({
    dataFolder,
    durability,
    secret,
    oldSecret,
    defaultPrices: findDefaultPrices,
    nowMs,
    reportLedger: (trouble) => logTrouble(log, trouble),
    requestLog: requestLog.options,
  });
  const hashSecret = keepHashSecret(config.dataFolder, stores.keys);
  const { keys, catalog } = stores;
  const declarations = new Declarations(stores, hashSecret, nowMs);
  if (file === undefined) await declarations.declareEnvironment(config.declared);
  else await declarations.declareFile(config.declared, recordOf("config.load", file, nowMs));
  const reload = file === undefined ? undefined : new Reload(file, declarations, log, nowMs);
  const claims: Claims = new Map();
  const upstreams = new Upstreams();
  const upstreamStates = new UpstreamStates(() => performance.now());
  const upstreamHealth: Parts["upstreamHealth"] = (settings) => upstreamStates.of(upstreams.of(settings)).health;
  const reportWebhook = (message: string): void => log.write({ level: "warn", event: "webhook_failed", message });
  const alerts = startAlerts({ ...stores, upstreamHealth, call: webhookCaller(), report: reportWebhook, nowMs });
  const { deliverer } = alerts;
  const metrics = new Metrics();
  const tracing = await openTracing(config.traces, stores.catalog, log);
  const deviations = new DeviationCounts();
  const parts: Parts = {
    config,
    stores,
    upstreams,
    upstreamStates,
    upstreamHealth,
    deliverer,
    hashSecret,
    deviations,
    metrics,
    tracing,
    log,
    nowMs,
  };
  const gateway = serveGateway(parts, claims);
  const writeMetrics = async (): Promise<string> => metrics.write(await measure({ ...parts, gateway, platform, reload }));
  const { platform, signIn, origin } = servePlatform(parts, reload, writeMetrics);

  const discovered = discoverModels(config.discover, DIALECTS_OVER_HTTP).then(async (discoveries) => {
    if (discoveries.length > 0) await declarations.declareEnvironment(withDiscovered(config.declared, discoveries, catalog.snapshot()));
    return discoveries;
  });

  return {
    gatewayUrl: gateway.url,
    platformUrl: platform.url,
    signInUrl: stores.people.count() > 0 ? undefined : new Secret(welcomeUrl(origin(), signIn.firstLink.make(nowMs()).reveal())),
    discovered,
    get remarks() {
      return remarksOn(catalog.snapshot(), nowMs());
    },
    countKeys: () => keys.ids().length,
    hasCredit: () => [...stores.ledger.balances().accounts.values()].some(({ creditNanos }) => creditNanos > 0n),
    makeFirstKey: () => makeFirstKey(stores, hashSecret, nowMs()),
    get pendingRequests() {
      return gateway.pendingRequests + platform.pendingRequests;
    },
    async reload() {
      if (reload) await reload.onSignal();
      else log.write({ event: "config_reloaded", message: "there is no config file to read again" });
    },
    async drain() {
      await Promise.all([gateway.drain(), platform.drain()]);
      // Answers that are made to the end for callers who left, and are expected back.
      await Promise.all([...claims.values()].map((claim) => claim.ended));
    },
    async close() {
      await reload?.close();
      await alerts.close();
      // The ledger first: an answer that we cut ourselves is cleared up by the next start, not charged as if its caller had left.
      await stores.close();
      requestLog.close();
      await Promise.all([gateway.close(), platform.close()]);
      metrics.stop();
      await tracing?.close();
      await log.flush();
    },
  };
}

/** What both listeners are made of. */
interface Parts {
  readonly config: Config;
  readonly stores: Stores;
  readonly upstreams: Upstreams;
  readonly upstreamStates: UpstreamStates;
  readonly upstreamHealth: (settings: UpstreamSettings) => UpstreamHealth;
  readonly deliverer: Deliverer;
  readonly hashSecret: Secret;
  readonly deviations: DeviationCounts;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  readonly log: Log;
  readonly nowMs: () => number;
}

function serveGateway(parts: Parts, claims: Claims): Listener {
  const { config, stores, upstreams, upstreamStates, hashSecret, deviations, metrics, tracing, log, nowMs } = parts;
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
    observers: [logRequests(log), metrics.ofGateway(), (ended) => stores.requestLog.note(ended), ...(tracing ? [tracing.observe] : [])],
    openToBrowsers: true,
    errorFormat: "chat-completions",
  });
}

function servePlatform(
  { config, stores, upstreamHealth, deliverer, hashSecret, deviations, metrics, log, nowMs }: Parts,
  reload: Reload | undefined,
  writeMetrics: () => Promise<string>,
): { platform: Listener; signIn: SignIn; origin: () => string } {
  const origin = (): string => config.platformUrl?.origin ?? platform.url;
  const signIn = prepareSignIn(config.platformUrl?.protocol === "https:", config.oidc && createOidc(config.oidc, origin));
  const operatorToken = config.operatorToken ?? keepSecret(join(config.dataFolder, "operator-token"), "tollgate-operator-");
  const platform = serve({
    name: "platform",
    ...config.platform,
    endpoints: platformEndpoints({
      ...stores,
      config: reload,
      signIn,
      origin,
      hashSecret,
      operatorToken,
      testUpstream: (settings, signal) => testConnection(settings, DIALECTS_OVER_HTTP, signal),
      examineUpstream: (settings, model, signal) => examine(createUpstream(settings), model, signal),
      deviations: () => deviations.snapshot(),
      upstreamHealth,
      metrics: writeMetrics,
      testWebhook: (webhook) => deliverer.sendTest(webhook),
      wakeDeliveries: () => deliverer.wake(),
      listPrices: { tierBounds: defaultTierBounds, find: findDefaultPrices },
      memberChanges: new MinuteThrottle(MEMBER_CHANGES_IN_A_MINUTE, "Too many changes in a minute. Try again in a while."),
      nowMs,
    }),
    observers: [logRequests(log), metrics.ofPlatform()],
    openToBrowsers: false,
    errorFormat: "problem-details",
    replyHeaders: platformHeaders(config.platformUrl),
    isOwnHost: ownHosts(config.platform.hostname, config.platformUrl),
    callerOf: callerBehindProxy(config.trustedProxies),
  });
  return { platform, signIn, origin };
}

/** The provider sends people back to where they came from, which is known for certain only when we listen. */
function createOidc(provider: OidcProvider, origin: () => string): OidcSignIn {
  const settings = {
    ...provider,
    get redirectUrl() {
      return `${origin()}/api/sign-in/oidc/callback`;
    },
  };
  return new OidcSignIn(settings, plainFetch(provider.issuer));
}

/** Every stored key is hashed with it, so a new one must not quietly take its place. */
function keepHashSecret(dataFolder: string, keys: KeyStore): Secret {
  const path = join(dataFolder, "hash-secret");
  const count = keys.ids().length;
  if (count > 0 && !readSecret(path)) {
    throw new ConfigError(`${path} is gone, and without it none of the ${count} keys works. Restore it, or start with another folder.`);
  }
  return keepSecret(path);
}

function logTrouble(log: Log, trouble: string | undefined): void {
  const message = trouble === undefined ? "the ledger can be written again" : `the ledger cannot be written: ${trouble}`;
  if (trouble === undefined) log.write({ event: "ledger_recovered", message });
  else log.write({ level: "error", event: "ledger_unavailable", message });
}
