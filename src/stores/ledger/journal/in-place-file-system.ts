import { statfsSync } from "node:fs";

/** From <linux/magic.h>: ext2 to ext4, XFS, tmpfs. */
const IN_PLACE = new Set([0xef53, 0x58465342, 0x01021994]);

/**
 * Whether the file system of a folder overwrites blocks in place: then a store into a mapped file needs no new block. On copy-on-write file
 * systems (btrfs, ZFS, an overlay over one of them) it does, and a full disk would end the process with SIGBUS.
 */
export function overwritesInPlace(folder: string): boolean {
  return IN_PLACE.has(statfsSync(folder).type);
}
