import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";

export const HEAP_FILE = "heap.json";

/** The size of the heap of a gateway. */
export interface HeapReading {
  readonly bytes: number;
  /** The number of objects of each kind. */
  readonly cells: Readonly<Record<string, number>>;
}

/**
 * Settings without garbage collection, so that the heap shows all allocations. The JIT is off too: when it optimizes depends on the load of
 * the machine, and it removes some allocations.
 */
export const WITHOUT_COLLECTIONS = {
  BUN_JSC_useGC: "0",
  BUN_JSC_useDFGJIT: "0",
  BUN_OPTIONS: `--preload ${join(import.meta.dir, "report-heap.ts")}`,
};

export async function readHeap({ pid, folder }: RunningGateway): Promise<HeapReading> {
  const file = join(folder, HEAP_FILE);
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  return waitFor(() => parse(file));
}

function parse(file: string): HeapReading | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as HeapReading;
  } catch {
    return undefined;
  }
}
