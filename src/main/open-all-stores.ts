import { SETTINGS, type Config } from "../config.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Log } from "../lib/log/log.ts";
import type { Secret } from "../lib/secret/secret.ts";
import { findDefaultPrices } from "../models/prices/find-default-prices.ts";
import { openClusterStores, type ClusterOptions } from "../stores/open-cluster-stores.ts";
import { openStores } from "../stores/open-stores.ts";
import type { StoreOptions, Stores } from "../stores/stores.ts";
import { OtherSecret } from "../stores/postgres/confirm-secrets.ts";
import type { DatabaseClock } from "../stores/postgres/database-clock.ts";
import { findRunningProcesses, type RunningProcess } from "../stores/ledger/processes/process-folder.ts";
import { sendSignal } from "./processes/send-signal.ts";

/**
 * Opens the stores in the shared database, or in the data folder. `clock` is the clock of the shared database, and undefined without one.
 * Throws `ConfigError` if a shared secret differs.
 */
export function openAllStores(
  config: Config,
  log: Log,
  requestLog: StoreOptions["requestLog"],
  clock: DatabaseClock | undefined,
): Promise<Stores> {
  const { dataFolder, drainSeconds, database } = config;
  const processes: Pick<StoreOptions, "isShared" | "endProcesses"> = {
    isShared: config.processes > 1,
    endProcesses: (running) => endProcesses(dataFolder, running, drainSeconds, log),
  };
  if (!database || !clock) return openStores({ ...config, ...commonOptions(log, Date.now), ...processes, requestLog });
  return openShared(
    {
      ...config,
      ...database,
      ...processes,
      // `readDatabase` has rejected a database without these secrets.
      secret: config.secret!,
      hashSecret: config.hashSecret!,
      port: config.gateway.port,
      requestLog,
      clock,
      fenced: (error) => endFenced(log, error),
    },
    log,
  );
}

interface SharedOptions extends Omit<ClusterOptions, "sharedSecrets" | "reportMaintenance" | keyof CommonOptions> {
  readonly hashSecret: Secret;
}

/** Opens the stores in the shared database. Throws `ConfigError` if a shared secret differs. */
export async function openShared({ hashSecret, ...options }: SharedOptions, log: Log): Promise<Stores> {
  const { secret, oldSecret } = options;
  try {
    return await openClusterStores({
      ...options,
      ...commonOptions(log, options.clock.nowMs),
      reportMaintenance: (failure) => logMaintenance(log, failure),
      sharedSecrets: [
        { name: SETTINGS.secret, secret, previous: oldSecret },
        { name: SETTINGS.hashSecret, secret: hashSecret },
      ],
    });
  } catch (error) {
    throw error instanceof OtherSecret ? new ConfigError(error.message) : error;
  }
}

type CommonOptions = Pick<StoreOptions, "defaultPrices" | "nowMs" | "reportLedger" | "reportMigrations">;

function commonOptions(log: Log, nowMs: () => number): CommonOptions {
  return {
    defaultPrices: findDefaultPrices,
    nowMs,
    reportLedger: (trouble) => logTrouble(log, trouble),
    reportMigrations: (names) => log.write({ event: "storage_migrated", message: `migrations applied: ${names.join(", ")}` }),
  };
}

/** The process was written off, or another process has applied its journal: it could not charge for further requests. */
function endFenced(log: Log, error: Error): void {
  log.write({ level: "error", event: "process_fenced", message: `the process ends: ${error.message}` });
  process.kill(process.pid, "SIGTERM");
}

/** Logs failures of the leader's maintenance, which it repeats until it succeeds. */
function logMaintenance(log: Log, failure: string | undefined): void {
  if (failure === undefined) log.write({ event: "maintenance_recovered", message: "the maintenance of the ledger succeeds again" });
  else
    log.write({ level: "warn", event: "maintenance_failed", message: `the maintenance of the ledger fails, and is retried: ${failure}` });
}

function logTrouble(log: Log, trouble: string | undefined): void {
  const message = trouble === undefined ? "the ledger can be written again" : `the ledger cannot be written: ${trouble}`;
  if (trouble === undefined) log.write({ event: "ledger_recovered", message });
  else log.write({ level: "error", event: "ledger_unavailable", message });
}

const CHECK_EVERY_MS = 100;
/**
 * How long killed processes may take to end. A process whose pid is unknown cannot be killed: opening the ledger then fails, and names the
 * process.
 */
const KILLED_WITHIN_MS = 5000;

/**
 * Ends the gateway processes of an owner that was killed, because from now on a single process serves alone. They finish their requests
 * within the drain timeout; their journals are applied afterwards.
 */
async function endProcesses(dataFolder: string, running: readonly RunningProcess[], drainSeconds: number, log: Log): Promise<void> {
  const message = `${running.length} gateway processes of an earlier start still run; they finish their requests and end`;
  log.write({ level: "warn", event: "processes_ended", message });
  signal(running, "SIGTERM");
  if (!(await haveEnded(dataFolder, drainSeconds * 1000))) signal(findRunningProcesses(dataFolder), "SIGKILL");
  await haveEnded(dataFolder, KILLED_WITHIN_MS);
}

/** Whether all processes have ended within this time. A process holds the lock of its folder until it ends. */
async function haveEnded(dataFolder: string, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (findRunningProcesses(dataFolder).length > 0) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(CHECK_EVERY_MS);
  }
  return true;
}

function signal(processes: readonly RunningProcess[], name: "SIGTERM" | "SIGKILL"): void {
  for (const { pid } of processes) sendSignal(pid, name);
}
