/** The thread that checkpoints the WAL of each database whose path it receives. */
import { parentPort } from "node:worker_threads";
import { Database as SqliteFile } from "bun:sqlite";

/**
 * Opens a connection for each checkpoint: a connection that stayed open would prevent the last other connection from removing the WAL when
 * it closes.
 */
function checkpoint(path: string): void {
  const file = new SqliteFile(path, { readwrite: true, create: false });
  try {
    file.run("pragma wal_checkpoint(passive)");
  } finally {
    file.close();
  }
}

parentPort!.on("message", (path: string) => {
  try {
    checkpoint(path);
  } catch {
    // The database is locked, or the disk is full. The WAL stays, and the next checkpoint copies it.
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage("done");
});
