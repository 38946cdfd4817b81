import { lstatSync, mkdirSync } from "node:fs";
import { BackupRefused } from "../../stores/backup/backup-refused.ts";

/** Creates the folder in which a backup is built, or takes the one that a killed backup has left. Throws `BackupRefused` for anything else there. */
export function makeStagingFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    if (!isOwnFolder(path)) throw new BackupRefused(`${path} is not a folder of this user that a backup has left: remove it`);
  }
}

/**
 * Whether a backup of this user has created it. Backups may be in a folder where others write, such as /tmp: a link that they have put there would
 * lead the next backup to delete what is behind it, and in a folder of theirs they could exchange the files of a backup.
 */
export function isOwnFolder(path: string): boolean {
  const entry = lstatSync(path);
  return entry.isDirectory() && entry.uid === process.geteuid?.() && (entry.mode & 0o022) === 0;
}
