import type { Database as SqliteFile } from "bun:sqlite";
import { WRITER_BUSY_TIMEOUT_MS } from "../../sqlite/sqlite-database.ts";

/** How long a start waits for the lock of another process. */
const START_BUSY_TIMEOUT_MS = 5000;

/** Runs a write with a busy timeout. For startup and for changes of the catalog, but not for requests, because it blocks the event loop. */
export function withBusyTimeout(file: SqliteFile, write: () => void, busyTimeoutMs = START_BUSY_TIMEOUT_MS): void {
  file.run(`pragma busy_timeout = ${busyTimeoutMs}`);
  try {
    write();
  } finally {
    file.run(`pragma busy_timeout = ${WRITER_BUSY_TIMEOUT_MS}`);
  }
}
