import { readFileSync } from "node:fs";

/** Where the system has no boot id: any journal may be of another boot then. */
export const UNKNOWN_BOOT = 0;

/**
 * The id of this boot of the machine. A journal of another boot may have lost its last pages in a power failure. A crash of the process alone
 * loses none.
 */
export function bootId(): number {
  try {
    return Bun.hash.crc32(readFileSync("/proc/sys/kernel/random/boot_id"));
  } catch {
    return UNKNOWN_BOOT;
  }
}
