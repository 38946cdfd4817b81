import { existsSync } from "node:fs";
import { join } from "node:path";
import { DataMoved } from "./data-moved.ts";

/** A marker file, in a data folder while a backup is restored into it. */
export function restoringIn(folder: string): string {
  return join(folder, "restoring");
}

/** Throws `DataMoved` if the restore of a backup into a data folder was interrupted: a start would use a partial database, or none. */
export function refuseInterruptedRestore(folder: string): void {
  const path = restoringIn(folder);
  if (!existsSync(path)) return;
  throw new DataMoved(
    `a backup is being restored into ${folder}, or the restore was interrupted: repeat it. To start with an empty folder instead, remove everything in it`,
  );
}
