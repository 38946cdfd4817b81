import { Declarations } from "../../config/declarations.ts";
import { FileFollower } from "../../config/file-follower.ts";
import { localKeyRecords } from "../../gateway/key-view/key-records.ts";
import { logFailure, type Log } from "../../lib/log/log.ts";
import { DatabaseClock } from "../../stores/postgres/database-clock.ts";
import { OwnerDeclarations } from "../../stores/replication/owner-declarations.ts";
import { statusOf } from "../cluster-processes.ts";
import { openShared } from "../open-all-stores.ts";
import { prepareRequestLog } from "../prepare-request-log.ts";
import type { ProcessDatabase, ProcessSettings } from "./gateway-settings.ts";
import type { ProcessStores } from "./process-stores.ts";

interface DatabaseStoreOptions {
  readonly id: string;
  readonly dataFolder: string;
  readonly settings: ProcessSettings;
  readonly database: ProcessDatabase;
  readonly log: Log;
  /** Called if the database accepts no more changes from this process, which then has to end. */
  readonly fenced: (error: Error) => void;
}

/**
 * The stores of a gateway process that shares a database. It is a full member of the cluster, with its own journal, leases and connections.
 * From its owner it gets the declarations of the environment, and the file to serve if it cannot read the declared file; the owner logs
 * that.
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
  const { catalog, declaredFile } = stores;
  const ofOwner = new OwnerDeclarations({
    catalog,
    reportFailure: (thrown) => logFailure(log, "the models of the environment cannot be declared", thrown),
  });
  const file = new FileFollower({
    declarations: new Declarations(stores, hashSecret, clock.nowMs),
    store: declaredFile!,
    serveOwn: async (writer) => {
      await catalog.adoptFile(ofOwner.file, writer);
      return true;
    },
  });
  return {
    stores,
    keyRecords: localKeyRecords(stores),
    catalog,
    nowMs: clock.nowMs,
    services: [ofOwner],
    async start() {
      await ofOwner.ready;
      await file.start();
    },
    serving: (listener) => stores.instances?.report(() => statusOf("gateway", listener, undefined)),
    async close(cut, closing) {
      ofOwner.close();
      await stores.close(cut, closing);
      await closing.run([{ name: "redaction hook", close: () => requestLog.close() }]);
    },
  };
}
