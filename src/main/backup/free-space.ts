import { statfsSync } from "node:fs";
import { BackupRefused } from "../../stores/backup/backup-refused.ts";

/** The error codes of a full disk and of an exceeded quota, from the system and from SQLite. */
const FULL_DISK = /^(ENOSPC|EDQUOT|SQLITE_FULL)$/;

/** Throws `BackupRefused` if the disk of a folder lacks space: a backup that fills the disk of the data folder would stop the gateway. */
export function refuseFullDisk(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free < bytes)
    throw new BackupRefused(`the disk of ${folder} has ${inMegabytes(free)} free, and up to ${inMegabytes(bytes)} are needed`);
}

/** Returns `BackupRefused` for a disk that became full, and any other error unchanged. */
export function toFullDisk(folder: string, error: unknown): unknown {
  const isFull = error instanceof Error && "code" in error && FULL_DISK.test(String(error.code));
  return isFull ? new BackupRefused(`the disk of ${folder} is full. Nothing was left on it`) : error;
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
