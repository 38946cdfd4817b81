import { readFileSync } from "node:fs";

/** Where the system has no number for a boot: then any journal may be of another one. */
export const UNKNOWN_BOOT = 0;

/**
 * A number for this boot of the machine. A journal of another boot may have lost its last pages with the power, which the end of a process
 * cannot do.
 */
export function bootId(): number {
  try {
    return Bun.hash.crc32(readFileSync("/proc/sys/kernel/random/boot_id"));
  } catch {
    return UNKNOWN_BOOT;
  }
}
