import { SETTINGS, type Config } from "../config.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Log } from "../lib/log/log.ts";
import { findDefaultPrices } from "../models/prices/find-default-prices.ts";
import { openClusterStores } from "../stores/open-cluster-stores.ts";
import { openStores, type StoreOptions, type Stores } from "../stores/open-stores.ts";
import { OtherSecret } from "../stores/postgres/confirm-secrets.ts";
import { endProcesses } from "./processes/end-processes.ts";

/** Opens the stores in the database that processes share, or in the data folder. Throws `ConfigError` where a shared secret is another. */
export function openAllStores(config: Config, log: Log, requestLog: StoreOptions["requestLog"], nowMs: () => number): Promise<Stores> {
  const common = {
    defaultPrices: findDefaultPrices,
    nowMs,
    reportLedger: (trouble: string | undefined): void => logTrouble(log, trouble),
    requestLog,
  };
  if (config.database) return openShared(config, config.database, log, common);
  return openStores({
    ...config,
    ...common,
    isShared: config.processes > 1,
    endProcesses: (running) => endProcesses(config.dataFolder, running, config.drainSeconds, log),
  });
}

type CommonOptions = Pick<StoreOptions, "defaultPrices" | "nowMs" | "reportLedger" | "requestLog">;

async function openShared(config: Config, database: NonNullable<Config["database"]>, log: Log, common: CommonOptions): Promise<Stores> {
  const { dataFolder, durability, oldSecret, gateway } = config;
  // `readDatabase` has refused a database without them.
  const [secret, hashSecret] = [config.secret!, config.hashSecret!];
  try {
    return await openClusterStores({
      ...common,
      ...database,
      dataFolder,
      durability,
      secret,
      oldSecret,
      sharedSecrets: [
        { name: SETTINGS.secret, secret, previous: oldSecret },
        { name: SETTINGS.hashSecret, secret: hashSecret },
      ],
      port: gateway.port,
      fenced: (error) => endFenced(log, error),
    });
  } catch (error) {
    throw error instanceof OtherSecret ? new ConfigError(error.message) : error;
  }
}

/** The process was written off, or its journal applied by another: what it would serve could not be charged. */
function endFenced(log: Log, error: Error): void {
  log.write({ level: "error", event: "process_fenced", message: `the process ends: ${error.message}` });
  process.kill(process.pid, "SIGTERM");
}

function logTrouble(log: Log, trouble: string | undefined): void {
  const message = trouble === undefined ? "the ledger can be written again" : `the ledger cannot be written: ${trouble}`;
  if (trouble === undefined) log.write({ event: "ledger_recovered", message });
  else log.write({ level: "error", event: "ledger_unavailable", message });
}
