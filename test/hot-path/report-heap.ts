/**
 * Loaded into a gateway before its own code. On SIGUSR2 it writes down, in the folder that it runs in, what the heap has grown to.
 * With collections off nothing ever leaves the heap, so that two of these say what was allocated between them.
 */
import { heapStats } from "bun:jsc";
import { renameSync, writeFileSync } from "node:fs";
import { HEAP_FILE } from "./heap-reading.ts";

process.on("SIGUSR2", () => {
  const { heapCapacity, objectTypeCounts } = heapStats();
  writeFileSync(`${HEAP_FILE}.new`, JSON.stringify({ bytes: heapCapacity, cells: objectTypeCounts }));
  renameSync(`${HEAP_FILE}.new`, HEAP_FILE);
});
