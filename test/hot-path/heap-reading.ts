import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { waitFor, type RunningGateway } from "../start-gateway.ts";

export const HEAP_FILE = "heap.json";

/** What the heap of a gateway has grown to. */
export interface HeapReading {
  readonly bytes: number;
  /** How many there are of each kind of object. */
  readonly cells: Readonly<Record<string, number>>;
}

/**
 * Settings under which a gateway collects nothing, so that it can be told what it allocates. Its code is not optimized: when
 * that happens depends on how busy the machine is, and it takes some allocations away.
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
