import { closeSync, openSync, statSync } from "node:fs";
import { Database } from "bun:sqlite";
import { join } from "node:path";

/** Another process holds the lock of the data folder. */
export class FolderInUse extends Error {
  constructor(folder: string) {
    super(`another Tollgate process is using the data in ${folder}`);
    this.name = "FolderInUse";
  }
}

/** Longer than a backup or a preflight holds the lock. Both only try the lock. */
export const PROBE_WAIT_MS = 500;

/**
 * Locks the data folder for this process: with a second writer, the copies in memory of this process would be stale. It is a lock of the
 * operating system, on a file that SQLite opens, so it ends with the process even after kill -9. Throws `FolderInUse` after `waitMs`.
 */
export function lockFolder(folder: string, waitMs = 0): { release(): void } {
  const path = join(folder, "lock");
  closeSync(openSync(path, "a", 0o600));
  const file = new Database(path);
  try {
    file.run(`pragma busy_timeout = ${waitMs}`);
    file.run("begin exclusive");
  } catch (error) {
    file.close();
    throw isBusy(error) ? new FolderInUse(folder) : error;
  }
  return { release: () => file.close() };
}

/** Another process has the database open. */
export class DatabaseInUse extends Error {
  constructor(path: string) {
    super(`another process has ${path} open: a backup, a Tollgate whose lock file was removed, or a program such as sqlite3`);
    this.name = "DatabaseInUse";
  }
}

/**
 * Throws `DatabaseInUse` if another process has the database open for longer than `timeoutMs`. The folder lock alone is not enough: if
 * somebody removes the lock file of a running gateway, a second gateway would write to the same ledger. In WAL mode each connection holds a
 * shared lock on the database file, which an exclusive lock detects.
 */
export function refuseSharedDatabase(path: string, timeoutMs: number): void {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return;
  const file = new Database(path, { readwrite: true, create: false });
  try {
    file.run(`pragma busy_timeout = ${timeoutMs}`);
    file.run("pragma locking_mode = exclusive");
    file.run("begin exclusive");
    file.run("rollback");
  } catch (error) {
    throw isBusy(error) ? new DatabaseInUse(path) : error;
  } finally {
    file.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}
