import { readFileSync } from "node:fs";

/** For a system without a boot id: any journal may then be from another boot. */
export const UNKNOWN_BOOT = 0;

/**
 * The id of this boot of the machine. A journal from another boot may have lost its last pages in a power failure. A crash of the process
 * alone loses no pages.
 */
export function bootId(): number {
  try {
    return Bun.hash.crc32(readFileSync("/proc/sys/kernel/random/boot_id"));
  } catch {
    return UNKNOWN_BOOT;
  }
}
