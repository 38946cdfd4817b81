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
 * Opens the stores in the database that processes share, or in the data folder. `clock`: the one of that database, undefined without one. Throws
 * `ConfigError` where a shared secret is another.
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
      // `readDatabase` has refused a database without them.
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

/** Opens the stores in the database that processes share. Throws `ConfigError` where a shared secret is another. */
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

/** The process was written off, or its journal applied by another: what it would serve could not be charged. */
function endFenced(log: Log, error: Error): void {
  log.write({ level: "error", event: "process_fenced", message: `the process ends: ${error.message}` });
  process.kill(process.pid, "SIGTERM");
}

/** The work of the leader, which it does again until it succeeds. */
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
/** One whose pid is not known cannot be killed: opening the ledger then fails, and names it. */
const KILLED_WITHIN_MS = 5000;

/**
 * Ends the gateway processes of an owner that was killed, because from now on one process serves alone. They finish their requests, for as long
 * as a drain may take; their journals are applied after this.
 */
async function endProcesses(dataFolder: string, running: readonly RunningProcess[], drainSeconds: number, log: Log): Promise<void> {
  const message = `${running.length} gateway processes of an earlier start still run; they finish their requests and end`;
  log.write({ level: "warn", event: "processes_ended", message });
  signal(running, "SIGTERM");
  if (!(await haveEnded(dataFolder, drainSeconds * 1000))) signal(findRunningProcesses(dataFolder), "SIGKILL");
  await haveEnded(dataFolder, KILLED_WITHIN_MS);
}

/** Whether all have ended within this time. The lock of a folder ends with its process. */
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
