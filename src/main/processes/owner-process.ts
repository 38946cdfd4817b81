import { gatewayProbes } from "../../gateway/app.ts";
import type { IdempotencyLocks } from "../../gateway/idempotency-lock.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { urlOf } from "../../http/serve.ts";
import type { OwnerService } from "../../lib/ipc/ipc-service.ts";
import { logFailure, type TextOutput, type Log } from "../../lib/log/log.ts";
import { OwnerServer } from "../../processes/owner-server.ts";
import { Supervisor, type ProcessEvent } from "../../processes/supervisor.ts";
import { processJournalDamaged } from "../../stores/integrity/folder-damaged.ts";
import { AuthorityUnavailable } from "../../stores/ledger/leases/authority.ts";
import { isRunning, type RunningProcess } from "../../stores/ledger/processes/process-folder.ts";
import { ProcessesRunning, type SharedLedger } from "../../stores/ledger/processes/open-ledger.ts";
import { CannotRecoverProcess, type FolderProcesses, type RecoveryResult } from "../../stores/ledger/processes/process-recovery.ts";
import { MergedMetrics } from "../../telemetry/metrics/merged-metrics.ts";
import { ProcessStatuses } from "../../telemetry/status/process-status.ts";
import type { Processes } from "../../platform/processes.ts";
import { ClusterProcesses, statusOf } from "../cluster-processes.ts";
import type { GatewayFront } from "../gateway-front.ts";
import { createGateway } from "../serve-gateway.ts";
import { monotonicMs, type Services } from "../services.ts";
import { digestOf, encodeSettings, settingsFor } from "./gateway-settings.ts";
import { OwnerLifecycle, requestDrain, requestStop } from "./lifecycle.ts";
import { receiveLogLines } from "./log-lines.ts";
import { ownerSocketIn, removeOwnerSocket } from "./owner-socket.ts";
import { OwnedProcesses } from "./owned-processes.ts";
import { RollingRestart } from "./rolling-restart.ts";
import { sendSignal } from "./send-signal.ts";
import { openSharedSocket, type SharedSocket } from "./shared-socket.ts";
import { spawnGatewayProcess } from "./spawn-gateway-process.ts";
import { randomBase62 } from "../../lib/text/base62.ts";
import { newInstanceId } from "../../stores/ledger/instance-id.ts";
import { randomInt } from "node:crypto";
import { findFreePort } from "../../lib/http1/server/free-port.ts";

/**
 * A survivor connects within a fraction of a second. If it does not connect within this time, it hangs, and is ended. Nothing is leased
 * before that.
 */
const SURVIVOR_LIMIT_MS = 10_000;
/** A process serves requests within a second or two. */
const START_TIMEOUT_MS = 60_000;
const LOCK_CHECK_MS = 100;
/** How often applying a journal is retried while the database is unavailable. */
const RECOVERY_RETRY_MS = 1000;

interface OwnerProcessOptions {
  readonly services: Services;
  readonly idempotencyLocks: IdempotencyLocks;
  readonly folder: FolderProcesses;
  /** The ledger that gateway processes lease from; undefined if they open the database themselves. */
  readonly ledger: SharedLedger | undefined;
  /** The services that stores, upstreams and alerts share with gateway processes. */
  readonly shared: readonly OwnerService[];
  /** The output of the log, which contains the lines of all processes. */
  readonly logOutput: TextOutput;
  readonly logFormat: "json" | "text";
}

/** Serves model clients in gateway processes, which this process starts, configures and supervises. */
export async function serveInProcesses(options: OwnerProcessOptions): Promise<GatewayFront> {
  const { socket } = options.services.config.gateway;
  const owner = new OwnerProcess(options, socket && (await openSharedSocket(socket, options.folder.survivors)));
  try {
    await owner.start();
  } catch (error) {
    await owner.finish();
    throw error;
  }
  return owner;
}

class OwnerProcess implements GatewayFront {
  readonly url: string;
  readonly callAsKey: GatewayFront["callAsKey"];
  readonly processes: Processes;
  readonly listener = undefined;
  readonly probes: readonly Endpoint[];
  readonly #options: OwnerProcessOptions;
  readonly #socket: SharedSocket | undefined;
  readonly #server: OwnerServer;
  readonly #supervisor: Supervisor;
  readonly #statuses = new ProcessStatuses();
  readonly #metrics = new MergedMetrics(slotOf);
  readonly #lifecycle = new OwnerLifecycle((id) => this.#supervisor.listening(id));
  /** Rejects if a survivor can neither join nor be ended. */
  readonly #failed = Promise.withResolvers<never>();
  #isEnding = false;

  constructor(options: OwnerProcessOptions, gatewaySocket: SharedSocket | undefined) {
    this.#options = options;
    this.#socket = gatewaySocket;
    this.#failed.promise.catch(() => undefined);
    const { services, idempotencyLocks, folder, logFormat } = options;
    const { config, hashSecret, log, nowMs } = services;
    const socket = ownerSocketIn(config.dataFolder);
    const port = gatewaySocket ? 0 : choosePort(config.gateway.hostname, config.gateway.port, folder.survivors);
    const settings = encodeSettings(settingsFor(config, port, hashSecret, logFormat));
    // The digest includes the socket: a survivor listens on the earlier owner's socket, so it is replaced like a process with other
    // settings.
    const settingsDigest = digestOf([settings, gatewaySocket?.id]);
    const reportFailure = (thrown: unknown): void => logFailure(log, "a gateway process could not be served", thrown);
    this.url = urlOf({ ...config.gateway, port });
    const { gateway, callAsKey } = createGateway(services, idempotencyLocks, () => false);
    this.callAsKey = callAsKey;
    this.probes = gatewayProbes(gateway);
    this.#supervisor = new Supervisor({
      count: config.processes,
      newId: () => this.#newId(),
      spawn: (id) => spawnGatewayProcess({ dataFolder: config.dataFolder, id, settings, settingsDigest }, gatewaySocket?.descriptor),
      drain: ({ id, pid }) => requestDrain(this.#server.find(id), pid),
      stop: ({ id, pid }) => requestStop(this.#server.find(id), pid),
      kill: (pid) => sendSignal(pid, "SIGKILL"),
      recover: (id) => this.#recover(id),
      silenceMs: (id) => this.#server.silenceMs(id),
      drainMs: config.drainSeconds * 1000,
      startTimeoutMs: START_TIMEOUT_MS,
      settingsDigest,
      nowMs,
      report: (event) => logProcessEvent(log, event),
      reportFailure,
    });
    this.#server = new OwnerServer({
      path: socket,
      services: this.#services(),
      survivors: folder.survivors.map(({ id }) => id),
      mayJoin: (id) => this.#supervisor.processes.some((each) => each.id === id && !each.hasEnded),
      monotonicMs,
      joined: (hello) => this.#supervisor.joined(hello),
      left: (id) => this.#supervisor.left(id),
      reportFailure,
    });
    this.processes = this.#listProcesses();
  }

  #newId(): string {
    const taken = this.#supervisor.processes.map(({ id }) => id);
    return newProcessId(taken, this.#options.services.config.database !== undefined);
  }

  #listProcesses(): Processes {
    const { services, ledger } = this.#options;
    const { instances } = services.stores;
    const restarts = new RollingRestart(this.#supervisor);
    if (instances) return new ClusterProcesses(instances, restarts);
    return new OwnedProcesses({
      supervisor: this.#supervisor,
      restarts,
      server: this.#server,
      statusOf: (id) => this.#statuses.statusOf(id),
      instances: () => ledger?.authority.instances() ?? [],
    });
  }

  async countPending(): Promise<number> {
    await this.#statuses.service.collect();
    return this.#supervisor.processes.reduce((sum, { id }) => sum + (this.#statuses.statusOf(id)?.requestsInFlight ?? 0), 0);
  }

  /** Waits for survivors, and starts the processes that are missing. */
  async start(): Promise<void> {
    const { config, stores, configDigest } = this.#options.services;
    const { dataFolder } = config;
    const { survivors } = this.#options.folder;
    for (const { id, pid } of survivors) this.#supervisor.adopt(id, { pid, exited: untilUnlocked(dataFolder, id) });
    const late = setInterval(() => this.#endAwaited(), SURVIVOR_LIMIT_MS);
    await Promise.race([this.#server.settled, this.#failed.promise]).finally(() => clearInterval(late));
    await this.#supervisor.start();
    stores.instances?.report(() => statusOf("owner", undefined, configDigest?.()));
  }

  started(): Promise<void> {
    const processes = this.#supervisor.processes.map(({ id }) => this.#server.find(id));
    return this.#lifecycle.started(processes.filter((each) => each !== undefined));
  }

  async collectMetrics(): Promise<MergedMetrics> {
    await this.#metrics.service.collect();
    return this.#metrics;
  }

  drain(): Promise<void> {
    this.#isEnding = true;
    this.#socket?.close();
    return this.#supervisor.drain();
  }

  async finish(): Promise<void> {
    this.#isEnding = true;
    this.#socket?.close();
    await this.#supervisor.close();
    this.#server.close();
    removeOwnerSocket(this.#options.services.config.dataFolder);
  }

  /** Gateway processes have already ended before the ledger is closed. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  #services(): OwnerService[] {
    const { shared, logOutput } = this.#options;
    return [...shared, this.#statuses.service, this.#metrics.service, this.#lifecycle, receiveLogLines(logOutput)];
  }

  /** Applies the journal of a process that has ended. If that fails, it is retried whenever another process has ended. */
  async #recover(id: string): Promise<readonly string[]> {
    const { ended, failures } = await this.#applyJournals(id);
    const recovered = failures.has(id) ? ended : [...new Set([...ended, id])];
    for (const each of recovered) {
      this.#server.ended(each);
      this.#server.forget(each);
    }
    if (failures.has(id)) this.#reportUnrecovered(id, failures.get(id));
    return recovered;
  }

  /**
   * While the shared database is unavailable, the journal cannot be applied, and no other process can be started: both wait for the
   * database.
   */
  async #applyJournals(id: string): Promise<RecoveryResult> {
    const { folder, ledger } = this.#options;
    for (;;) {
      const recovered = await folder.recoverProcesses();
      const isAway = !ledger && recovered.failures.get(id) instanceof AuthorityUnavailable;
      if (!isAway || this.#isEnding) return recovered;
      await Bun.sleep(RECOVERY_RETRY_MS);
    }
  }

  #reportUnrecovered(id: string, failure: unknown): void {
    const { config, log } = this.#options.services;
    logFailure(log, `the gateway process ${id} has ended and could not be recovered; its leases stay`, failure);
    // Nothing is leased before the survivor has stated its leases, and it can no longer state them.
    if (this.#server.awaited.includes(id)) this.#failed.reject(toStartError(config.dataFolder, failure));
  }

  #endAwaited(): void {
    const { services, folder } = this.#options;
    const awaited = folder.survivors.filter(({ id }) => this.#server.awaited.includes(id));
    for (const { pid } of awaited) sendSignal(pid, "SIGKILL");
    const unknown = awaited.filter(({ pid }) => pid === undefined);
    if (unknown.length > 0) this.#failed.reject(new ProcessesRunning(services.config.dataFolder, unknown));
  }
}

function toStartError(dataFolder: string, error: unknown): unknown {
  return error instanceof CannotRecoverProcess ? processJournalDamaged(dataFolder, error.instanceId, error.damage) : error;
}

/** A survivor is not a child of this process: it has ended when the lock of its folder is free. */
async function untilUnlocked(dataFolder: string, id: string): Promise<undefined> {
  while (isRunning(dataFolder, id)) await Bun.sleep(LOCK_CHECK_MS);
  return undefined;
}

/**
 * A new ID for a gateway process, with the lowest free number: metrics are labelled with the ID, and should have few labels. If machines
 * share a database, the ID begins with the name of this machine.
 */
function newProcessId(taken: readonly string[], sharesDatabase: boolean): string {
  const slots = new Set(taken.map(slotOf));
  let slot = 1;
  while (slots.has(String(slot))) slot++;
  return sharesDatabase ? newInstanceId(slot) : `${slot}-${randomBase62(8)}`;
}

/** The number of a process on its machine. */
function slotOf(processId: string): string {
  return /(\d+)-[^-]+$/.exec(processId)?.[1] ?? processId;
}

function logProcessEvent(log: Log, event: ProcessEvent): void {
  switch (event.kind) {
    case "ended":
      return logEnd(log, event);
    case "hung":
      return log.write({
        level: "error",
        event: "gateway_process_hung",
        message: `the gateway process ${event.id} does not respond and is killed`,
      });
    case "start_timeout":
      return log.write({
        level: "error",
        event: "gateway_process_hung",
        message: `the gateway process ${event.id} did not start serving requests in time and is killed`,
      });
    case "restarted":
      return log.write({ event: "processes_restarted", message: `${event.count} gateway processes were restarted one after another` });
    case "restart_failed":
      return log.write({
        level: "error",
        event: "restart_failed",
        message: `the rolling restart was aborted, and the other processes continue to serve requests: ${event.reason}`,
      });
  }
}

/** A process that has drained on request, for example after an operator's signal, exits with 0. */
function logEnd(log: Log, { id, exitCode, restartInMs }: Extract<ProcessEvent, { kind: "ended" }>): void {
  const event = "gateway_process_ended";
  if (exitCode === 0) return log.write({ event, message: `the gateway process ${id} has drained and ended; another is started` });
  const message = `the gateway process ${id} has ended unexpectedly; its journal is applied, and another is started in ${restartInMs} ms`;
  log.write({ level: "error", event, message });
}

/**
 * The port of gateway processes. Gateway processes that survived an earlier owner listen on the port of that owner, which is then neither
 * free nor in use by another program. If any port is accepted (0), that port is used again. If no survivor listens on the configured port,
 * it must be free. Throws like a listener.
 */
export function choosePort(hostname: string, configured: number, survivors: readonly RunningProcess[]): number {
  const ports = survivors.map(({ port }) => port);
  if (configured === 0) return ports.find((port) => port !== undefined) ?? findAnyPort(hostname);
  const isTheirs = ports.includes(configured) || ports.includes(undefined);
  return isTheirs ? configured : findFreePort(hostname, configured);
}

/** Below the ephemeral ports of Linux and macOS: until the processes listen, the kernel does not assign one of these ports to another program. */
const PORTS = { first: 20_000, count: 12_000 };
const MAX_TRIES = 100;

function findAnyPort(hostname: string): number {
  for (let tries = 1; ; tries++) {
    try {
      return findFreePort(hostname, PORTS.first + randomInt(PORTS.count));
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
    }
  }
}
