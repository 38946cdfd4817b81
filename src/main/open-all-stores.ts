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
import { endProcesses } from "./processes/end-processes.ts";

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
