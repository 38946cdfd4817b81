import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DataMoved } from "./data-moved.ts";

/**
 * Marks a data folder whose data was moved to PostgreSQL. A gateway that continued to use the folder would make charges that the database
 * does not know.
 */
const MOVED_MARKER_FILE = "moved-to-postgres";

function movedMarkIn(folder: string): string {
  return join(folder, MOVED_MARKER_FILE);
}

/** Throws `DataMoved` if the data of a folder was moved. */
export function refuseMovedFolder(folder: string): void {
  const path = movedMarkIn(folder);
  const mark = readMark(path);
  if (mark === undefined) return;
  throw new DataMoved(
    `the data in ${folder} was moved to a PostgreSQL database (${mark}). To continue with the database, set TOLLGATE_DATABASE_URL. ` +
      `To continue with the folder as it was then, without the later changes in the database, remove ${path}`,
  );
}

/** `database` is the address of the database, without the password. */
export function markFolderMoved(folder: string, database: string, nowMs: number): void {
  const path = movedMarkIn(folder);
  const file = openSync(`${path}.new`, "w", 0o600);
  writeSync(file, `${database}, ${new Date(nowMs).toISOString()}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
}

function readMark(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
