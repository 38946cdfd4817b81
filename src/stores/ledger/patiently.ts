import type { Database as SqliteFile } from "bun:sqlite";

/** How long a start waits for a database that somebody else has locked. */
const PATIENCE_MS = 5000;

/** Writes what a start depends on. It waits for a lock, as nothing on the path of requests may: the other way is to give up. */
export function patiently(file: SqliteFile, write: () => void): void {
  file.run(`pragma busy_timeout = ${PATIENCE_MS}`);
  try {
    write();
  } finally {
    file.run("pragma busy_timeout = 0");
  }
}
