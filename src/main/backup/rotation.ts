import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { FolderInUse, lockFolder } from "../../stores/folder-lock.ts";
import { isOwnFolder } from "./staging-folder.ts";

/** Follows the name of a backup while it is written. */
export const INCOMPLETE = ".incomplete";

/** The names that backups get in a folder. Other files are not ours, and stay. */
const DATED = /^tollgate-\d{4}-\d\d-\d\dT\d{6}Z\.backup$/;

/** The name of a backup of a moment, which sorts by time: `tollgate-2027-01-31T021500Z.backup`. */
export function nameAt(ms: number): string {
  return `tollgate-${new Date(ms).toISOString().slice(0, 19).replaceAll(":", "")}Z.backup`;
}

/** Deletes the oldest of our backups in a folder, but for so many. Returns their paths. */
export function deleteOldest(folder: string, keep: number): readonly string[] {
  const ours = readdirSync(folder)
    .filter((name) => DATED.test(name))
    .toSorted();
  const oldest = ours.slice(0, Math.max(0, ours.length - keep)).map((name) => join(folder, name));
  for (const path of oldest) rmSync(path);
  return oldest;
}

/** Removes what backups have left that were killed. */
export function removeAbandoned(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith(INCOMPLETE) && DATED.test(name.slice(0, -INCOMPLETE.length)));
  const ours = names.map((name) => join(folder, name)).filter((path) => isOwnFolder(path));
  for (const path of ours) if (isAbandoned(path)) rmSync(path, { recursive: true, force: true });
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** One that is being written is locked by its process. */
function isAbandoned(staging: string): boolean {
  try {
    lockFolder(staging).release();
    return true;
  } catch (error) {
    if (error instanceof FolderInUse) return false;
    throw error;
  }
}
