/**
 * Preloaded into a gateway. On SIGUSR2 it writes the size of the heap into the working directory. With garbage collection off, the
 * difference between two of these is what was allocated between them.
 */
import { heapStats } from "bun:jsc";
import { renameSync, writeFileSync } from "node:fs";
import { HEAP_FILE } from "./heap-reading.ts";

process.on("SIGUSR2", () => {
  const { heapCapacity, objectTypeCounts } = heapStats();
  writeFileSync(`${HEAP_FILE}.new`, JSON.stringify({ bytes: heapCapacity, cells: objectTypeCounts }));
  renameSync(`${HEAP_FILE}.new`, HEAP_FILE);
});
