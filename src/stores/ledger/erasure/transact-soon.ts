import { setTimeout as sleep } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";

/** Another connection may have locked the database for a moment: the platform, or a backup. */
const MAX_ATTEMPTS = 200;
const PAUSE_MS = 10;

/**
 * Runs work in a transaction, in one turn of the event loop, as soon as no other connection has locked the database. Throws the error of
 * SQLite if that takes too long.
 */
export async function transactSoon<Result>(file: SqliteFile, work: () => Result): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return file.transaction(work).immediate();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || (error as { code?: string }).code !== "SQLITE_BUSY") throw error;
      await sleep(PAUSE_MS);
    }
  }
}
