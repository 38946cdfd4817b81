import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { openSqlite, openSqliteReader, openSqliteWriter } from "./sqlite/sqlite-database.ts";
import { examineFolder, refuseOldFolder, type Examination } from "./examine-folder.ts";
import { lockFolder, refuseSharedDatabase } from "./folder-lock.ts";
import { processJournalDamage, type Damage } from "./integrity/folder-damaged.ts";
import { filesIn, type FolderFiles } from "./integrity/folder-files.ts";
import { EntryTable } from "./ledger/tables/entry-table.ts";
import { Journal } from "./ledger/journal/journal.ts";
import { recoverJournal } from "./ledger/journal/recover-journal.ts";
import { ProcessesRunning } from "./ledger/processes/open-ledger.ts";
import { findRunningProcesses, listProcessFolders, processFolderIn } from "./ledger/processes/process-folder.ts";
import { CannotRecoverProcess, readUnapplied, refuseKnown, requestsOf } from "./ledger/processes/process-recovery.ts";
import { migrate } from "./migrations/migrate.ts";
import type { Database as SqliteFile } from "bun:sqlite";
import { InstanceTable } from "./ledger/tables/instance-table.ts";

/** The damage in a data folder, and where the damaged files were moved. */
export interface Recovery extends Damage {
  /** The folder with the damaged files. Undefined if nothing was changed. */
  readonly movedTo: string | undefined;
}

/**
 * Checks the data folder of a stopped gateway thoroughly. If it is damaged and the loss is accepted, it is rebuilt from all intact records,
 * so that the gateway starts again; the damaged files are first moved or copied to a separate folder. Throws `FolderInUse`,
 * `ProcessesRunning` or `DatabaseInUse` if another process uses the folder, and `CannotMigrate` for a folder of another version; nothing is
 * changed then.
 */
export async function recoverFolder(folder: string, acceptsLoss: boolean, nowMs: number): Promise<Recovery> {
  refuseOldFolder(folder);
  const lock = lockFolder(folder);
  try {
    const running = findRunningProcesses(folder);
    if (running.length > 0) throw new ProcessesRunning(folder, running);
    const examination = examineFolder(folder, true);
    const damage = withJournals(examination, examination.usable === "with WAL" ? damagedJournals(folder) : []);
    if (damage.findings.length === 0 || !acceptsLoss) return { ...damage, movedTo: undefined };
    return await recover(folder, examination, join(folder, `damaged-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, "-")}`));
  } finally {
    lock.release();
  }
}

async function recover(folder: string, examination: Examination, movedTo: string): Promise<Recovery> {
  if (examination.findings.length > 0) {
    quarantine(filesIn(folder), examination.usable, movedTo);
    await rebuild(filesIn(folder));
  }
  // Checked after the rebuild: how much of a journal is in the ledger may have changed.
  const isGone = examination.usable === "not at all";
  const damaged = isGone ? [] : damagedJournals(folder);
  moveJournals(folder, isGone ? listProcessFolders(folder) : damaged.map(({ instanceId }) => instanceId), movedTo);
  return { ...withJournals(examination, damaged), movedTo };
}

function damagedJournals(folder: string): readonly CannotRecoverProcess[] {
  if (listProcessFolders(folder).length === 0) return [];
  const ledger = openSqliteReader(filesIn(folder).database);
  try {
    return findDamagedJournals(folder, ledger);
  } finally {
    ledger.close();
  }
}

function withJournals({ findings, losses }: Damage, damaged: readonly CannotRecoverProcess[]): Damage {
  const all = [{ findings, losses }, ...damaged.map(({ instanceId, damage }) => processJournalDamage(instanceId, damage))];
  return { findings: all.flatMap((each) => each.findings), losses: all.flatMap((each) => each.losses) };
}

/** The next start closes the open holds of processes whose folders are gone. */
function moveJournals(folder: string, instanceIds: readonly string[], movedTo: string): void {
  if (instanceIds.length === 0) return;
  const processes = join(movedTo, "processes");
  mkdirSync(processes, { recursive: true, mode: 0o700 });
  for (const id of instanceIds) renameSync(processFolderIn(folder, id), join(processes, id));
}

/** Copies the files before the check whether another process has the database open, because that check makes SQLite checkpoint the WAL. */
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

/** Runs the same steps as a start. SQLite itself recovers the valid commits of the WAL. */
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

/** The journals that a start could not apply to a ledger. No gateway process may be running. */
export function findDamagedJournals(dataFolder: string, ledger: SqliteFile): readonly CannotRecoverProcess[] {
  const entries = new EntryTable(ledger);
  const instances = new Map(new InstanceTable(ledger).all().map((each) => [each.id, each]));
  const left = listProcessFolders(dataFolder).filter((id) => instances.get(id)?.state !== "closed");
  return left.flatMap((instanceId) => {
    const appliedSeq = instances.get(instanceId)?.appliedSeq ?? 0;
    const path = processFolderIn(dataFolder, instanceId);
    const damage = damageOf(() => {
      const changes = readUnapplied({ instanceId, path, appliedSeq });
      const ended = requestsOf(changes).filter((requestId) => entries.findClosed(requestId) !== undefined);
      refuseKnown(instanceId, path, changes, new Set(ended));
    });
    return damage ?? [];
  });
}

function damageOf(read: () => unknown): CannotRecoverProcess | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof CannotRecoverProcess) return error;
    throw error;
  }
}
