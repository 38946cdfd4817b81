import type { Database as SqliteFile } from "bun:sqlite";

/** How long a start waits for a database that somebody else has locked. */
const START_BUSY_TIMEOUT_MS = 5000;

/** Writes what a start, or a change of the catalog, depends on. It waits for a lock, as nothing on the path of requests may. */
export function withBusyTimeout(file: SqliteFile, write: () => void, busyTimeoutMs = START_BUSY_TIMEOUT_MS): void {
  file.run(`pragma busy_timeout = ${busyTimeoutMs}`);
  try {
    write();
  } finally {
    file.run("pragma busy_timeout = 0");
  }
}
