/** Loaded into a gateway before its own code. On SIGUSR2 it writes down, in the folder that it runs in, what of the heap is in use. */
import { heapStats } from "bun:jsc";
import { renameSync, writeFileSync } from "node:fs";
import { HEAP_FILE } from "./heap-reading.ts";

process.on("SIGUSR2", () => {
  Bun.gc(true);
  const { heapSize, objectTypeCounts } = heapStats();
  writeFileSync(`${HEAP_FILE}.new`, JSON.stringify({ bytes: heapSize, cells: objectTypeCounts }));
  renameSync(`${HEAP_FILE}.new`, HEAP_FILE);
});
