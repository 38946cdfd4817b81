import { logFailure, type Log } from "../../lib/log/log.ts";
import { DatabaseClock } from "../../stores/postgres/database-clock.ts";
import { FollowedDeclarations } from "../../stores/replication/followed-declarations.ts";
import { statusOf } from "../cluster-processes.ts";
import { openShared } from "../open-all-stores.ts";
import { prepareRequestLog } from "../prepare-request-log.ts";
import type { ProcessDatabase, ProcessSettings } from "./gateway-settings.ts";
import type { ProcessStores } from "./process-stores.ts";

export interface DatabaseStoreOptions {
  readonly id: string;
  readonly dataFolder: string;
  readonly settings: ProcessSettings;
  readonly database: ProcessDatabase;
  readonly log: Log;
  /** The database accepts no more changes of this process: it has to end. */
  readonly fenced: (error: Error) => void;
}

/**
 * The stores of a gateway process that shares a database: it is a process of the cluster like any other, with its own journal, leases and
 * connections. From its owner it has what the config file declares.
 */
export async function openDatabaseStores({
  id,
  dataFolder,
  settings,
  database,
  log,
  fenced,
}: DatabaseStoreOptions): Promise<ProcessStores> {
  const { durability, hashSecret, gateway } = settings;
  const requestLog = await prepareRequestLog(database, log);
  const { options } = requestLog;
  const clock = new DatabaseClock(() => performance.now());
  const own = { dataFolder, durability, hashSecret, port: gateway.port, instanceId: id, role: "gateway" as const };
  const stores = await openShared({ ...database, ...own, requestLog: options, clock, fenced }, log);
  const declarations = new FollowedDeclarations({
    catalog: stores.catalog,
    reportFailure: (thrown) => logFailure(log, "the models of the config file cannot be declared", thrown),
  });
  return {
    stores,
    catalog: stores.catalog,
    nowMs: clock.nowMs,
    services: [declarations],
    start: () => declarations.ready,
    serving: (listener) => stores.instances?.report(() => statusOf("gateway", listener, undefined)),
    async close(cut, closing) {
      declarations.close();
      await stores.close(cut, closing);
      await closing.run([{ name: "redaction hook", close: () => requestLog.close() }]);
    },
  };
}
