import { realpathSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** The mode bits for other users. */
const BITS = { read: 0o004, write: 0o002 } as const;
const MAY_PASS = 0o001;

/**
 * File systems without modes, by their statfs(2) numbers: every file on them looks world-accessible, and `chmod` has no effect. They are
 * FAT, exFAT, NTFS, Windows shares, and the host file systems of virtual machines (9p, FUSE).
 */
const WITHOUT_MODES = new Set([0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

/**
 * Whether every user of this machine has this access to the file. Group access is not checked: a Kubernetes volume assigns all files to one
 * group. A file is inaccessible if other users may not enter a folder above it.
 */
export function canOthers(what: keyof typeof BITS, path: string, mode: number): boolean {
  if ((mode & BITS[what]) === 0) return false;
  const real = realpathSync(path);
  return foldersAbove(real).every((folder) => (statSync(folder).mode & MAY_PASS) !== 0) && hasModes(statfsSync(real).type);
}

export function hasModes(fileSystem: number): boolean {
  return !WITHOUT_MODES.has(fileSystem >>> 0);
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}
