import { NO_CREDIT_LINE } from "./money/credit-line.ts";
import type { Config } from "./config.ts";
import { prepareDataFolder } from "./config/data-folder.ts";
import { declareConfig } from "./main/declare-config.ts";
import { exampleModel, makeFirstKey, withDiscovered } from "./main/first-run.ts";
import type { IdempotencyLocks } from "./gateway/idempotency-lock.ts";
import { localKeyRecords } from "./gateway/key-view/key-records.ts";
import { Mirrors } from "./gateway/mirrors.ts";
import { BodyBudget } from "./http/body-budget.ts";
import type { Log, LogSink } from "./lib/log/log.ts";
import type { EgressSettings } from "./models/egress-proxy.ts";
import { useEgress } from "./upstreams/egress/destination.ts";
import { ClusterReports } from "./main/cluster-reports.ts";
import { callsSettled } from "./main/serve-gateway.ts";
import { serveInThisProcess } from "./main/gateway-front.ts";
import { ownUpstreams } from "./main/gateway-upstreams.ts";
import { BackgroundCredentials } from "./main/background-credentials.ts";
import { IdentityLog } from "./main/identity-log.ts";
import { loadHashSecret } from "./main/load-hash-secret.ts";
import { collectMetrics } from "./main/metrics-snapshot.ts";
import { openAllStores } from "./main/open-all-stores.ts";
import { openTls } from "./main/open-tls.ts";
import { openTracing } from "./main/open-tracing.ts";
import { monotonicMs, type Services } from "./main/services.ts";
import { prepareRequestLog } from "./main/prepare-request-log.ts";
import { removeOwnerSocket } from "./main/processes/owner-socket.ts";
import { Sharing } from "./main/processes/sharing.ts";
import { servePlatform } from "./main/serve-platform.ts";
import { WildcardDiscovery } from "./main/wildcard-discovery.ts";
import { welcomeUrl } from "./platform/endpoints/people.ts";
import { Closing, type ClosingFailure } from "./stores/closing.ts";
import { DatabaseClock } from "./stores/postgres/database-clock.ts";
import { Metrics } from "./telemetry/metrics/metrics.ts";
import { SmtpMailer } from "./upstreams/egress/smtp/smtp-mailer.ts";
import { webhookCaller } from "./upstreams/egress/call-webhook.ts";
import { discoverAt, discoverModels, type Discovery } from "./upstreams/discover-models.ts";
import { DIALECTS_OVER_HTTP } from "./upstreams/registry.ts";
import { catalogWarnings, identityWarnings, priceListWarnings } from "./config/warnings.ts";
import { Secret } from "./lib/secret/secret.ts";
import { removeStaleSocket } from "./lib/net/unix-socket.ts";
import { ownChange } from "./access/change.ts";
import type { Processes } from "./platform/processes.ts";
import type { AuditLogStore } from "./stores/audit-log/audit-log-store.ts";
import { messageOf } from "./lib/text/message-of.ts";
import type { RequestObserver } from "./requests/request-notes.ts";
import { Deliverer, type DelivererOptions } from "./alerts/delivery/deliverer.ts";
import { Refusals } from "./alerts/rules/refusals.ts";
import { Watcher, type WatcherOptions } from "./alerts/rules/watcher.ts";

/** A running Tollgate. */
export interface Tollgate {
  /** The gateway's base URL for clients. */
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  /** The file that clients need to verify a self-signed certificate of the gateway; undefined for other certificates. */
  readonly selfSignedFile: string | undefined;
  /** Creates the one-time setup link for the first operator. Undefined if people exist. */
  readonly signInUrl: Secret | undefined;
  /** The results of model discovery at the upstreams of the environment and of this machine. */
  readonly discovered: Promise<readonly Discovery[]>;
  /** A discovered model for the example request; undefined if only the built-in model can be called. */
  exampleModel(discoveries: readonly Discovery[]): string | undefined;
  /** Warnings about services of the catalog that are never used, such as models without a price. */
  readonly warnings: readonly string[];
  countKeys(): number;
  /** The number of models that operators have created, in addition to the models of the config file or the environment. */
  countOperatorModels(): number;
  /** Whether any account has credit. */
  hasCredit(): Promise<boolean>;
  /** Creates the key that an unconfigured gateway shows on its first start. */
  makeFirstKey(): Promise<Secret>;
  /** The number of requests in flight, including responses that are completed after the client has disconnected. */
  countPending(): Promise<number>;
  /** Reloads the TLS certificates and the config file, if there are any, and logs the result. */
  reload(): Promise<void>;
  /** Starts a rolling restart of the gateway processes, if there are any, or logs why it does not. */
  restart(): Promise<void>;
  /** Stops accepting connections, and resolves when no request is pending. */
  drain(): Promise<void>;
  /** Stops everything now, even while draining. Resolves within a bounded time with everything that could not be written or closed. */
  close(): Promise<readonly ClosingFailure[]>;
  /** Ends the drain early. */
  endDrain(): void;
}

/** Longer than the time that gateway processes have to end by themselves before they are killed. */
const GATEWAY_LIMIT_MS = 15_000;

/** The order is: config, stores, listeners. */
export async function start(config: Config, log: Log, sink: LogSink): Promise<Tollgate> {
  const clock = config.database && new DatabaseClock(() => performance.now());
  const nowMs = clock?.nowMs ?? Date.now;
  prepareDataFolder(config.dataFolder);
  openEgress(config.egress, log);
  const requestLog = await prepareRequestLog(config, log);
  const tls = await openTls(config, log, nowMs);
  const opened = await openAllStores(config, log, requestLog.options, clock);
  const sharing = opened.folderProcesses && new Sharing(opened, opened.folderProcesses, config.cloudVariables, log);
  if (!sharing) removeOwnerSocket(config.dataFolder);
  const stores = sharing?.stores ?? opened;
  const hashSecret = config.database ? config.hashSecret! : loadHashSecret(config.dataFolder, config.hashSecret, stores.keys);
  const { keys, catalog } = stores;
  const declaring = await declareConfig(config, stores, hashSecret, log, nowMs);
  const { declarations, reload, configDigest } = declaring;
  const idempotencyLocks: IdempotencyLocks = new Set();
  const ofThisProcess = sharing?.upstreams ?? ownUpstreams(config.cloudVariables);
  const reportWebhook = (message: string): void => log.write({ level: "warn", event: "webhook_failed", message });
  const servesPlatform = config.database?.role !== "gateway";
  const reports =
    stores.processReports &&
    new ClusterReports({
      store: stores.processReports,
      upstreams: ofThisProcess,
      catalog,
      isLeader: () => stores.isLeader?.() ?? false,
      readsHealth: servesPlatform,
      nowMs: () => performance.now(),
    });
  const upstreams = reports?.upstreams ?? ofThisProcess;
  const alerts = startAlerts(
    {
      ...stores,
      upstreamHealth: upstreams.health,
      call: webhookCaller(),
      mailer: config.smtp && new SmtpMailer(config.smtp),
      alertsUrl: config.platformUrl && `${config.platformUrl.href.replace(/\/+$/, "")}/alerts`,
      report: reportWebhook,
      nowMs,
    },
    !servesPlatform,
  );
  const { deliverer, observe: observeRefusals } = alerts;
  reports?.start(alerts.refusals);
  const metrics = new Metrics();
  const identityLog = new IdentityLog({ upstreams: () => catalog.upstreams(), healthOf: upstreams.health, log });
  identityLog.start();
  // Gateway processes have their own identities.
  const credentials = sharing ? undefined : new BackgroundCredentials(catalog, ofThisProcess.upstreams.identities);
  credentials?.start();
  const wildcards = new WildcardDiscovery({
    catalog,
    discover: (upstream) => discoverAt(upstream, DIALECTS_OVER_HTTP, ofThisProcess.upstreams.identities),
    log,
    nowMs,
  });
  if (servesPlatform) wildcards.start();
  const tracing = await openTracing(config.traces, stores.catalog, log);
  const mirrors = new Mirrors((result) => stores.requestLog.noteMirror(result));
  const services: Services = {
    config,
    stores,
    upstreams: upstreams.upstreams,
    upstreamStates: upstreams.states,
    upstreamHealth: upstreams.health,
    deviations: upstreams.deviations,
    allDeviations: upstreams.allDeviations,
    keyRecords: localKeyRecords(stores),
    deliverer,
    observeRefusals,
    configDigest,
    hashSecret,
    tls: tls.gateway,
    mirrors,
    metrics,
    tracing,
    bodies: new BodyBudget(config.bodiesMaxBytes),
    log,
    nowMs,
    monotonicMs,
  };
  for (const { socket } of [config.gateway, config.platform]) if (socket) await removeStaleSocket(socket.path);
  const gateway = sharing
    ? await sharing.serve(services, tls.gateway, idempotencyLocks, alerts.refusals, sink)
    : serveInThisProcess(services, idempotencyLocks);
  async function writeMetrics(): Promise<string> {
    const ofProcesses = await gateway.collectMetrics?.();
    const measured = await collectMetrics({
      ...services,
      gateway: gateway.listener,
      platform,
      upstreamHealth: upstreams.ownHealth,
      deliverer: servesPlatform ? deliverer : undefined,
      processes: servesPlatform ? gateway.processes : undefined,
      reload,
    });
    return metrics.write(measured, ofProcesses);
  }
  const gatewayUrl = config.gatewayUrl ?? gateway.url;
  const { callAsKey, processes, probes } = gateway;
  const propagated = sharing?.propagated;
  const { platform, signIn, address } = servePlatform({
    ...services,
    tls: tls.platform,
    reload,
    writeMetrics,
    gatewayUrl,
    callAsKey,
    processes,
    probes,
    propagated,
  });

  await gateway.started?.();

  const discovered = discoverModels(config.discover, DIALECTS_OVER_HTTP, ofThisProcess.upstreams.identities).then(async (discoveries) => {
    if (discoveries.length > 0) await declarations.declareEnvironment(withDiscovered(config.declared, discoveries, catalog.snapshot()));
    return discoveries;
  });

  const closing = new Closing();
  let closed: Promise<readonly ClosingFailure[]> | undefined;
  async function closeAll(): Promise<readonly ClosingFailure[]> {
    platform.finish();
    await closing.run([
      { name: "gateway", limitMs: GATEWAY_LIMIT_MS, close: () => gateway.finish() },
      { name: "mirrored requests", close: () => mirrors.close() },
      { name: "config file", close: () => declaring.close() },
      { name: "TLS certificates", close: () => tls.close() },
      { name: "webhook deliveries", close: () => alerts.close() },
      { name: "log of identities", close: () => identityLog.close() },
      { name: "credentials of identities", close: () => credentials?.close() },
      { name: "discovery of models", close: () => wildcards.close() },
      { name: "reports to other processes", close: () => reports?.close() },
    ]);
    // The ledger is closed first: a response that Tollgate itself cuts off is recovered at the next start, and not charged as if its client
    // had disconnected.
    await stores.close(() => Promise.all([gateway.close(), platform.close()]), closing);
    await closing.run([
      { name: "redaction hook", close: () => requestLog.close() },
      { name: "metrics", close: () => metrics.stop() },
      { name: "traces", close: () => tracing?.close() },
      { name: "log", close: () => log.flush() },
    ]);
    return closing.failures;
  }

  return {
    gatewayUrl,
    platformUrl: platform.url,
    selfSignedFile: tls.gateway?.selfSignedFile,
    signInUrl:
      stores.people.count() > 0 || !servesPlatform
        ? undefined
        : new Secret(welcomeUrl(address(), signIn.setupLink.make(monotonicMs()).reveal())),
    discovered,
    exampleModel: (discoveries) => exampleModel(discoveries, catalog.snapshot(), nowMs()),
    get warnings() {
      const models = catalog.snapshot();
      return [
        ...catalogWarnings(models, nowMs()),
        ...identityWarnings([...catalog.upstreams().values()], config.cloudVariables),
        ...priceListWarnings(catalog.priceLists().values(), models, "the catalog"),
      ];
    },
    countKeys: () => keys.ids().length,
    countOperatorModels: () => [...catalog.snapshot().keys()].filter((id) => catalog.originOfModel(id) === "operator").length,
    async hasCredit() {
      const { accounts } = await stores.ledgerRecords.balances();
      const ofLine = (await stores.accounts.list()).some(({ creditLine }) => creditLine !== NO_CREDIT_LINE);
      return ofLine || accounts.values().some(({ creditNanos }) => creditNanos > 0n);
    },
    async makeFirstKey() {
      const key = await makeFirstKey(stores, hashSecret, nowMs());
      await stores.checkpoint();
      return key;
    },
    async countPending() {
      return (await gateway.countPending()) + platform.pendingRequests + [...idempotencyLocks].filter((lock) => lock.isClientGone).length;
    },
    async reload() {
      tls.reload();
      if (reload) await reload.onSignal();
      else log.write({ event: "config_reloaded", message: "there is no config file to reload" });
    },
    restart: () => restartOnSignal(processes, stores.auditLog, log, nowMs),
    async drain() {
      await Promise.all([gateway.drain(), platform.drain()]);
      // Wait for responses that are completed for clients that disconnected and may reconnect.
      await Promise.all([...idempotencyLocks].map((lock) => lock.released));
      await callsSettled(stores);
    },
    // Closes only once: a second flush of the ledger would charge the responses that were cut off.
    close: () => (closed ??= closeAll()),
    endDrain: () => closing.expireAll(),
  };
}

/** Applies the proxy of this process, and logs which proxy it is: it may come from a variable that was meant for other programs. */
function openEgress(settings: EgressSettings | undefined, log: Pick<Log, "write">): void {
  useEgress(settings);
  if (!settings) return;
  const proxies = new Set([settings.encrypted, settings.plain].map((each) => each && `${each.hostname}:${each.port} (${each.variable})`));
  const names = [...proxies].filter((each) => each !== undefined).join(" and ");
  const unchecked = settings.target === "name" ? "; it resolves their names, so their addresses are not checked" : "";
  log.write({ event: "egress_proxy", message: `upstreams are called through the proxy ${names}${unchecked}` });
}

/** Starts a rolling restart for a signal. No caller can receive an error, so it is logged. */
export async function restartOnSignal(processes: Processes, auditLog: AuditLogStore, log: Log, nowMs: () => number): Promise<void> {
  try {
    const target = { kind: "instance", id: "all" } as const;
    await processes.restart((instances) => auditLog.add(ownChange("instance.restart", target, { instances }, nowMs())));
  } catch (error) {
    const reason = messageOf(error);
    log.write({ level: "warn", event: "restart_failed", message: `the signal to restart has no effect: ${reason}` });
  }
}

/** Starts the alert rules and the delivery of alerts, unless another process that shares the database runs them. */
export function startAlerts(
  options: Omit<WatcherOptions, "refusals" | "onRaised"> & DelivererOptions,
  isElsewhere: boolean,
): {
  deliverer: Deliverer;
  /** Observes the requests of model clients. */
  observe: RequestObserver;
  /** The rejected requests that `observe` has collected since the last evaluation. */
  refusals: Refusals;
  close(): Promise<void>;
} {
  const deliverer = new Deliverer(options);
  const refusals = new Refusals();
  const watcher = new Watcher({ ...options, refusals, onRaised: () => deliverer.wake() });
  const observe: RequestObserver = (ended) => refusals.note(ended);
  if (isElsewhere) return { deliverer, observe, refusals, close: async () => undefined };
  watcher.start();
  deliverer.start();
  return {
    deliverer,
    observe,
    refusals,
    async close() {
      await watcher.close();
      await deliverer.close();
    },
  };
}
