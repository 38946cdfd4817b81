import { existsSync } from "node:fs";
import { join } from "node:path";
import { DataMoved } from "./data-moved.ts";

/** In a data folder, while a backup is restored into it. */
export function restoringIn(folder: string): string {
  return join(folder, "restoring");
}

/** Throws `DataMoved` where the restore of a backup into a data folder has not come to its end: a start would begin with a part of it, or with nothing. */
export function refuseInterruptedRestore(folder: string): void {
  const path = restoringIn(folder);
  if (!existsSync(path)) return;
  throw new DataMoved(
    `a backup is being restored into ${folder}, or the restore was interrupted: repeat it. To start with an empty folder instead, remove everything in it`,
  );
}
