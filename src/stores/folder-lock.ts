import { closeSync, openSync } from "node:fs";
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
    const isTaken = error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
    throw isTaken ? new FolderInUse(folder) : error;
  }
  return { release: () => file.close() };
}
