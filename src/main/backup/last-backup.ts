import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LastBackup } from "../../platform/platform.ts";
import type { VerifiedBackup } from "./verify-backup.ts";

/** A file in the data folder: the console and `tollgate backup status` show it. */
export const LAST_BACKUP = "last-backup.json";

interface FinishedBackup extends VerifiedBackup {
  readonly bytes: number;
  readonly unshipped: readonly string[];
}

/**
 * Records a backup in the data folder of this machine. If the folder is missing or cannot be written, the backup does not fail: it is
 * complete, and it may be a backup of a database whose gateways run elsewhere.
 */
export function recordBackup(dataFolder: string, { path, bytes, manifest, audited, unshipped }: FinishedBackup): void {
  const { createdAt, version } = manifest;
  const record: LastBackup = {
    createdAt,
    version,
    path,
    bytes,
    files: manifest.files.map(({ name }) => name),
    entries: audited?.entries ?? 0,
    unshipped,
  };
  const recorded = join(dataFolder, LAST_BACKUP);
  try {
    // Root may create the backup for the gateway of another user, which has to read this file. The file contains no secrets.
    writeFileSync(`${recorded}.new`, JSON.stringify(record), { mode: 0o644 });
    renameSync(`${recorded}.new`, recorded);
  } catch {
    // Ignored, for the reason above.
  }
}

/** Undefined if no backup is known. */
export function readLastBackup(dataFolder: string): LastBackup | undefined {
  try {
    return JSON.parse(readFileSync(join(dataFolder, LAST_BACKUP), "utf8")) as LastBackup;
  } catch {
    return undefined;
  }
}
