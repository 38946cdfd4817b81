/**
 * Preloaded into a gateway. On SIGUSR2 it writes the size of the heap into the working directory. With garbage collection off, the
 * difference between two sizes is the memory allocated between them.
 *
 * Timers run 50 times slower: their allocations depend on the duration of a request, and so on the load of the machine.
 */
import { heapStats } from "bun:jsc";
import { renameSync, writeFileSync } from "node:fs";
import { HEAP_FILE } from "./heap-reading.ts";

process.on("SIGUSR2", () => {
  const { heapCapacity, objectTypeCounts } = heapStats();
  writeFileSync(`${HEAP_FILE}.new`, JSON.stringify({ bytes: heapCapacity, cells: objectTypeCounts }));
  renameSync(`${HEAP_FILE}.new`, HEAP_FILE);
});

const SLOWER = 50;

for (const name of ["setTimeout", "setInterval"] as const) {
  const start = globalThis[name] as (callback: () => void, delay?: number) => NodeJS.Timeout;
  Object.assign(globalThis, { [name]: (callback: () => void, delay = 1) => start(callback, delay * SLOWER) });
}
