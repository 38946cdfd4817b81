import { readFileSync } from "node:fs";

/**
 * A number for this boot of the machine. A journal of another boot may have lost its last pages with the power, which the end of a process
 * cannot do. 0 where the system has none: then only a lost process is assumed.
 */
export function bootId(): number {
  try {
    return Bun.hash.crc32(readFileSync("/proc/sys/kernel/random/boot_id"));
  } catch {
    return 0;
  }
}
