import { realpathSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** What everybody on this machine may do with a file. */
const BITS = { read: 0o004, write: 0o002 } as const;
const MAY_PASS = 0o001;

/**
 * File systems that keep no modes, by the numbers of statfs(2): all that is on them looks open to all, and `chmod` does nothing.
 * FAT, exFAT, NTFS, the shares of Windows, and what a virtual machine shows of its host's disk (9p, FUSE).
 */
const WITHOUT_MODES = new Set([0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

/**
 * Whether every user of this machine can do this with the file. The group is not asked about: a Kubernetes volume gives all of
 * its files to one. A file is out of reach behind any folder that others may not pass.
 */
export function canOthers(what: keyof typeof BITS, path: string, mode: number): boolean {
  if ((mode & BITS[what]) === 0) return false;
  const real = realpathSync(path);
  return foldersAbove(real).every((folder) => (statSync(folder).mode & MAY_PASS) !== 0) && keepsModes(statfsSync(real).type);
}

export function keepsModes(fileSystem: number): boolean {
  return !WITHOUT_MODES.has(fileSystem >>> 0);
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}
