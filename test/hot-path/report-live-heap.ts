/** Preloaded into a gateway. On SIGUSR2 it writes the live heap into the working directory. */
import { heapStats } from "bun:jsc";
import { renameSync, writeFileSync } from "node:fs";
import { HEAP_FILE } from "./heap-reading.ts";

process.on("SIGUSR2", () => {
  Bun.gc(true);
  const { heapSize, objectTypeCounts } = heapStats();
  writeFileSync(`${HEAP_FILE}.new`, JSON.stringify({ bytes: heapSize, cells: objectTypeCounts }));
  renameSync(`${HEAP_FILE}.new`, HEAP_FILE);
});
