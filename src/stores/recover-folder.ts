import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { openSqlite, openSqliteWriter } from "./database.ts";
import { examineFolder, type Examination } from "./examine-folder.ts";
import { lockFolder, refuseSharedDatabase } from "./folder-lock.ts";
import type { Damage } from "./integrity/folder-damaged.ts";
import { filesIn, type FolderFiles } from "./integrity/folder-files.ts";
import { EntryTable } from "./ledger/tables/entry-table.ts";
import { Journal } from "./ledger/journal/journal.ts";
import { recoverJournal } from "./ledger/journal/recover-journal.ts";
import { migrate } from "./migrations/migrate.ts";

/** The damage in a data folder, and where the damaged files were moved. */
export interface Recovery extends Damage {
  /** The folder with copies of the damaged files. Undefined where nothing was changed. */
  readonly movedTo: string | undefined;
}

/**
 * Checks the data folder of a stopped gateway thoroughly. Where it is damaged and the loss is accepted, it is rebuilt from all records that
 * are intact, so that the gateway starts again; the damaged files are copied to a folder of their own first. Throws `FolderInUse` or
 * `DatabaseInUse` where another process uses it; nothing is changed then.
 */
export async function recoverFolder(folder: string, acceptsLoss: boolean, nowMs: number): Promise<Recovery> {
  const lock = lockFolder(folder);
  try {
    const { findings, losses, usable } = examineFolder(folder, true);
    if (findings.length === 0 || !acceptsLoss) return { findings, losses, movedTo: undefined };
    const movedTo = join(folder, `damaged-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, "-")}`);
    quarantine(filesIn(folder), usable, movedTo);
    await rebuild(filesIn(folder));
    return { findings, losses, movedTo };
  } finally {
    lock.release();
  }
}

/** Copies the files first: to check whether another process has the database open makes SQLite checkpoint the WAL. */
function quarantine(files: FolderFiles, usable: Examination["usable"], folder: string): void {
  const paths = [files.database, files.wal, files.journal].filter((path) => existsSync(path));
  mkdirSync(folder, { mode: 0o700 });
  for (const path of paths) copyFileSync(path, quarantinePath(path, folder));
  if (usable !== "not at all") refuseShared(files.database, folder);
  if (usable === "with WAL") return;
  for (const path of [files.database, files.wal, files.sharedMemory]) rmSync(path, { force: true });
  if (usable === "without WAL") copyFileSync(quarantinePath(files.database, folder), files.database);
  else rmSync(files.journal, { force: true });
}

function refuseShared(database: string, folder: string): void {
  try {
    refuseSharedDatabase(database, 0);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

function quarantinePath(path: string, folder: string): string {
  return join(folder, basename(path));
}

/** The same steps as a start. SQLite itself recovers the valid commits of the WAL. */
async function rebuild(files: FolderFiles): Promise<void> {
  const database = openSqlite(files.database);
  await migrate(database);
  const writer = openSqliteWriter(files.database, "power");
  const journal = new Journal(files.journal, "power");
  recoverJournal(journal, new EntryTable(writer), writer);
  journal.close();
  writer.close();
  await database.destroy();
}
