import { closeSync, openSync, statSync } from "node:fs";
import { Database } from "bun:sqlite";
import { join } from "node:path";

/** Another process has the data folder. */
export class FolderInUse extends Error {
  constructor(folder: string) {
    super(`another Tollgate is running on the data in ${folder}`);
    this.name = "FolderInUse";
  }
}

/**
 * Takes the data folder for this process alone: what it holds in memory would soon be wrong beside a second writer. The lock
 * is the operating system's, on a file that SQLite opens, so it goes with the process however that ends.
 */
export function lockFolder(folder: string): { release(): void } {
  const path = join(folder, "lock");
  closeSync(openSync(path, "a", 0o600));
  const file = new Database(path);
  try {
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
    super(`another process has ${path} open: a Tollgate whose lock file was removed, or a program such as sqlite3`);
    this.name = "DatabaseInUse";
  }
}

/**
 * Throws `DatabaseInUse` where another process keeps the database open for `timeoutMs`. Removing the lock file of a running gateway does
 * not end it, and a second one would write to the same ledger. In WAL mode each connection holds a shared lock on the database file.
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
