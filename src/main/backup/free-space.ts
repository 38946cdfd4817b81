import { statfsSync } from "node:fs";
import { BackupRefused } from "../../stores/backup/backup-refused.ts";

/** Throws `BackupRefused` where the disk of a folder lacks space: a backup that fills the disk of the data folder would stop the gateway. */
export function refuseFullDisk(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free < bytes)
    throw new BackupRefused(`the disk of ${folder} has ${inMegabytes(free)} free, and the backup takes up to ${inMegabytes(bytes)}`);
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
