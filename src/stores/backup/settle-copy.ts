import { NO_CAPS } from "../../money/limits.ts";
import { filesIn } from "../integrity/folder-files.ts";
import { openLedger } from "../ledger/processes/open-ledger.ts";
import { openSqliteWriter } from "../sqlite/sqlite-database.ts";
import { BackupRefused } from "./backup-refused.ts";

/**
 * Ends the requests in flight in a copy of a data folder, as a start after a crash does: applies the journals of gateway processes, and
 * closes open holds. Afterwards the copy has no processes, so it cannot mistake a process of the original for its own. Throws
 * `BackupRefused` if the disk is full.
 */
export async function settleCopy(folder: string, nowMs: number): Promise<void> {
  const { database } = filesIn(folder);
  await endRequests(folder, database, nowMs);
  const file = openSqliteWriter(database, "process");
  try {
    file.run("delete from instances");
    file.run("delete from progress");
    // Without a WAL, the database is a single file.
    file.run("pragma journal_mode = delete");
  } finally {
    file.close();
  }
}

async function endRequests(dataFolder: string, database: string, nowMs: number): Promise<void> {
  let failure: string | undefined;
  // A ledger waits until space is freed on a full disk. A backup fails instead.
  const failed = Promise.withResolvers<never>();
  const report = (reported: string | undefined): void => {
    failure = reported;
    if (reported !== undefined) failed.reject(new Error(reported));
  };
  const file = openSqliteWriter(database, "process");
  // Not earlier than the last entry, whose time may be from another clock: entries are searched by time.
  const last = file.query<{ at_ms: number }, []>("select at_ms from entries order by id desc limit 1").get();
  const atMs = Math.max(nowMs, last?.at_ms ?? 0);
  const ending = openLedger(file, { dataFolder, capsOf: () => NO_CAPS, nowMs: () => atMs, report }).then(({ ledger }) => ledger.close());
  try {
    await Promise.race([ending, failed.promise]);
  } catch (error) {
    file.close();
    throw failure === undefined ? error : new BackupRefused(`the backup could not be written: ${failure}`);
  }
}
