import { Refusals } from "../../alerts/rules/refusals.ts";
import { reportRefusals } from "../../alerts/rules/shared-refusals.ts";
import type { IdempotencyLocks } from "../../gateway/idempotency-lock.ts";
import { Mirrors } from "../../gateway/mirrors.ts";
import { BodyBudget } from "../../http/body-budget.ts";
import { redactSecrets } from "../../http/redact-secrets.ts";
import type { Listener } from "../../http/serve.ts";
import type { ProcessService, IpcPeer } from "../../lib/ipc/ipc-service.ts";
import { formatAsJson, formatAsText } from "../../lib/log/log-format.ts";
import { createLog, logFailure, type Log } from "../../lib/log/log.ts";
import { OwnerConnection } from "../../processes/owner-connection.ts";
import { Closing } from "../../stores/closing.ts";
import { createProcessFolder } from "../../stores/ledger/processes/process-folder.ts";
import { MetricsReporter } from "../../telemetry/metrics/metrics-reporter.ts";
import { Metrics } from "../../telemetry/metrics/metrics.ts";
import { StatusReporter } from "../../telemetry/status/process-status.ts";
import type { Tracing } from "../../telemetry/traces/tracing.ts";
import { useEgress } from "../../upstreams/egress/destination.ts";
import { BackgroundCredentials } from "../background-credentials.ts";
import { collectMetrics } from "../metrics-snapshot.ts";
import { openTracing } from "../open-tracing.ts";
import { callsSettled, serveGateway } from "../serve-gateway.ts";
import { monotonicMs, type GatewayServices } from "../services.ts";
import { openDatabaseStores } from "./database-stores.ts";
import type { ProcessSettings } from "./gateway-settings.ts";
import { ProcessLifecycle, reportListening } from "./lifecycle.ts";
import { sendLogLines } from "./log-lines.ts";
import { ownerSocketIn } from "./owner-socket.ts";
import type { ProcessStores } from "./process-stores.ts";
import { RemoteStores } from "./remote-stores.ts";
import { OwnerTls } from "./shared-tls.ts";
import { DeviationCounts } from "../../gateway/routing/health/deviation-counts.ts";
import { UpstreamStates } from "../../gateway/routing/health/upstream-state.ts";
import { HealthHints } from "../../gateway/routing/shared-health/health-hints.ts";
import { HealthReporter } from "../../gateway/routing/shared-health/reported-health.ts";
import { SlotLeases } from "../../gateway/routing/slots/slot-leases.ts";
import type { CloudVariables } from "../../models/identities/cloud-variables.ts";
import type { UpstreamHealth } from "../../models/upstream-health.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { CatalogReader } from "../../stores/catalog/catalog-store.ts";
import { healthIn } from "../gateway-upstreams.ts";
import { Upstreams } from "../../upstreams/registry.ts";

/** The arguments that a gateway process is started with. */
export interface ProcessArguments {
  readonly dataFolder: string;
  readonly id: string;
  readonly settings: ProcessSettings;
  readonly settingsDigest: string;
}

/** A gateway process: serves model clients on the shared port, from in-memory copies of the records and its slices of the credit. */
export class GatewayProcess {
  readonly #arguments: ProcessArguments;
  readonly #startedAtMs = Date.now();
  readonly #owner: OwnerConnection;
  readonly #log: Log;
  readonly #refusals = new Refusals();
  readonly #metrics = new Metrics();
  readonly #mirrors = new Mirrors((result) => this.#stores?.stores.requestLog.noteMirror(result));
  readonly #bodies: BodyBudget;
  readonly #lifecycle = new ProcessLifecycle({ drain: () => void this.drain(), stop: () => void this.close() });
  readonly #locks: IdempotencyLocks = new Set();
  readonly #ended = Promise.withResolvers<void>();
  #stores: ProcessStores | undefined;
  #tracing: Tracing | undefined;
  #listener: Listener | undefined;
  #reporters: readonly { close(): Promise<void> }[] = [];
  #credentials: BackgroundCredentials | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: ProcessArguments) {
    const { dataFolder, id, settings, settingsDigest } = options;
    this.#arguments = options;
    this.#bodies = new BodyBudget(settings.bodiesMaxBytes);
    const reportFailure = (thrown: unknown): void => logFailure(this.#log, "a message of the owner process failed", thrown);
    this.#owner = new OwnerConnection({
      path: ownerSocketIn(dataFolder),
      hello: () => ({ id, pid: process.pid, startedAtMs: this.#startedAtMs, settingsDigest, isListening: this.#listener !== undefined }),
      refused: () => void this.close(),
      reportFailure,
    });
    this.#log = createLog({
      output: sendLogLines(this.#owner),
      format: settings.logFormat === "text" ? formatAsText : formatAsJson,
      redact: redactSecrets,
      level: settings.logLevel,
    });
  }

  get log(): Log {
    return this.#log;
  }

  /** Resolves when the process may exit. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Whether a request is in flight, including a request that is completed after its client has disconnected. */
  get isBusy(): boolean {
    return (this.#listener?.pendingRequests ?? 0) > 0 || this.#locks.size > 0;
  }

  /** How long the owner has been away; 0 if it is connected. */
  get ownerAwayMs(): number {
    return this.#owner.awayMs;
  }

  /** Opens the stores, connects to the owner, and listens. A stop requested during startup is not a failure. */
  async start(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      if (!this.#closed) throw error;
      await this.#closed;
    }
  }

  async #start(): Promise<void> {
    const { settings } = this.#arguments;
    useEgress(settings.egress);
    const stores = await this.#openStores();
    // The process was closed while the stores were being opened, so they are not closed yet.
    if (this.#closed) return stores.close(() => undefined, new Closing());
    this.#stores = stores;
    const upstreams = new SharedUpstreams(this.#owner, stores.catalog, settings.cloudVariables);
    const status = new StatusReporter(this.#owner, () => this.#listener);
    const metrics = new MetricsReporter(this.#owner, async () => this.#metrics.families(await this.#measure(stores, upstreams)));
    const refusals = reportRefusals(this.#refusals, this.#owner);
    this.#reporters = [status.service, metrics.service, refusals];
    const tls = settings.gateway.tls && new OwnerTls();
    const services: ProcessService[] = [status.service, metrics.service, refusals, this.#lifecycle, ...(tls ? [tls] : [])];
    await this.#owner.connect([...stores.services, ...upstreams.services, ...services]);
    await stores.start();
    this.#tracing = await openTracing(settings.traces, stores.catalog, this.#log);
    if (this.#closed) return;
    this.#listener = serveGateway(this.#services(stores, upstreams, status, tls), this.#locks, true).gateway;
    stores.serving?.(this.#listener);
    this.#credentials = new BackgroundCredentials(stores.catalog, upstreams.upstreams.identities);
    this.#credentials.start();
    reportListening(this.#owner);
  }

  async #openStores(): Promise<ProcessStores> {
    const { dataFolder, id, settings } = this.#arguments;
    const fenced = (error: Error): void => this.#fenced(error);
    const { database } = settings;
    if (database) return openDatabaseStores({ id, dataFolder, settings, database, log: this.#log, fenced });
    const folder = createProcessFolder(dataFolder, id, settings.gateway.port);
    return new RemoteStores({ owner: this.#owner, id, folder, settings, report: (failure) => this.#reportOwner(failure), fenced });
  }

  /** Stops accepting connections, and ends when no request is in flight. */
  async drain(): Promise<void> {
    await this.#listener?.drain();
    await Promise.all([...this.#locks].map((lock) => lock.released));
    if (this.#stores) await callsSettled(this.#stores.stores);
    await this.close();
  }

  /** Ends now: requests in flight are cut off, and charged for what was received. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close().finally(this.#ended.resolve));
  }

  async #close(): Promise<void> {
    this.#listener?.finish();
    this.#credentials?.close();
    this.#mirrors.close();
    const closing = new Closing();
    await this.#stores?.close(() => this.#listener?.close(), closing);
    await closing.run([
      { name: "reports", close: () => Promise.all(this.#reporters.map((each) => each.close())) },
      { name: "traces", close: () => this.#tracing?.close() },
      { name: "log", close: () => this.#log.flush() },
    ]);
    this.#metrics.stop();
    this.#owner.close();
    this.#stores?.release?.();
  }

  #services(
    { stores, keyRecords, nowMs }: ProcessStores,
    upstreams: SharedUpstreams,
    status: StatusReporter,
    tls: OwnerTls | undefined,
  ): GatewayServices {
    const { settings } = this.#arguments;
    return {
      config: settings,
      stores,
      keyRecords,
      upstreams: upstreams.upstreams,
      upstreamStates: upstreams.states,
      observeRefusals: (ended) => {
        this.#refusals.note(ended);
        status.observe(ended);
      },
      hashSecret: settings.hashSecret,
      tls,
      deviations: upstreams.deviations,
      mirrors: this.#mirrors,
      metrics: this.#metrics,
      tracing: this.#tracing,
      bodies: this.#bodies,
      isStarting: () => this.#lifecycle.isStarting,
      log: this.#log,
      nowMs,
      monotonicMs,
    };
  }

  #measure({ stores }: ProcessStores, upstreams: SharedUpstreams): ReturnType<typeof collectMetrics> {
    return collectMetrics({
      stores,
      gateway: this.#listener,
      platform: undefined,
      upstreamHealth: (upstream) => upstreams.healthOf(upstream),
      deviations: upstreams.deviations,
      mirrors: this.#mirrors,
      deliverer: undefined,
      processes: undefined,
      tracing: this.#tracing,
      reload: undefined,
      bodies: this.#bodies,
      log: this.#log,
    });
  }

  #reportOwner(failure: string | undefined): void {
    const { id } = this.#arguments;
    if (failure === undefined) this.#log.write({ event: "owner_connected", message: `the gateway process ${id} is connected again` });
    else
      this.#log.write({
        level: "warn",
        event: "owner_unavailable",
        message: `the gateway process ${id} cannot reach its owner: ${failure}`,
      });
  }

  #fenced(error: Error): void {
    this.#log.write({ level: "error", event: "process_fenced", message: `the gateway process ends: ${error.message}` });
    void this.close();
  }
}

const preciseMs = (): number => performance.now();

/** The upstreams of a gateway process. It shares their slots, ejections and cooldowns with all processes. */
class SharedUpstreams {
  readonly upstreams: Upstreams;
  readonly states: UpstreamStates;
  readonly deviations = new DeviationCounts();
  readonly services: readonly ProcessService[];

  constructor(owner: IpcPeer, catalog: CatalogReader, variables: CloudVariables) {
    this.upstreams = new Upstreams(variables);
    const slots = new SlotLeases(owner);
    const observer = new HealthHints({
      owner,
      findState: (id) => {
        const settings = catalog.upstreams().get(id);
        return settings && this.states.of(this.upstreams.of(settings));
      },
      nowMs: preciseMs,
    });
    this.states = new UpstreamStates(preciseMs, { slots, observer });
    const reporter = new HealthReporter({
      owner,
      upstreams: () => catalog.upstreams().values(),
      healthOf: (settings) => this.healthOf(settings),
      deviations: this.deviations,
    });
    this.services = [slots, observer, reporter];
  }

  /** The health according to the calls of this process. */
  healthOf(settings: UpstreamSettings): UpstreamHealth {
    return healthIn(this)(settings);
  }
}
