/** The thread that SQLite's log is taken over in: of each database that it is told of. */
import { parentPort } from "node:worker_threads";
import { Database as SqliteFile } from "bun:sqlite";

/** Opened anew each time: a connection that stayed open would keep the last of the others from leaving the folder clean. */
function recoverJournal(path: string): void {
  const file = new SqliteFile(path, { readwrite: true, create: false });
  try {
    file.run("pragma wal_checkpoint(passive)");
  } finally {
    file.close();
  }
}

parentPort!.on("message", (path: string) => {
  try {
    recoverJournal(path);
  } catch {
    // A lock or a full disk is in the way. The log is still there, and the next time comes.
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage("done");
});
