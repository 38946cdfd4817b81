import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyRange, type Manifest } from "./backup-format.ts";
import { BackupRefused } from "./backup-refused.ts";
import { isBackupName } from "./backup-names.ts";

/** Writes the files of a backup into an empty folder. The manifest must be from this file, after its checksum was verified. */
export function extractBackup(path: string, { files }: Manifest, folder: string): void {
  let start = 0;
  for (const { name, bytes } of files) {
    // The file may be forged: nothing may be written outside the folder.
    if (!isBackupName(name)) throw new BackupRefused(`${path} has a file with the name ${JSON.stringify(name)}, which no data folder has`);
    extract(path, start, bytes, join(folder, name));
    start += bytes;
  }
}

function extract(from: string, start: number, bytes: number, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const fd = openSync(to, "wx", 0o600);
  try {
    copyRange(from, start, bytes, fd);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
