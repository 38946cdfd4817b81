import { availableParallelism } from "node:os";

/** Read before this process is pinned, because pinning lowers the number. */
const CORES = availableParallelism();

/** The maximum number of cores that a system's processes share, so that a large machine has the remaining cores for the load. */
const SYSTEM_CORES = 4;

export interface CoreSplit {
  /** Core lists in the format of `taskset`. */
  readonly load: string;
  readonly system: string;
}

/**
 * Core 0 runs the load and the upstream, together with the cores that no system uses. Each process of a system has its own core. If the
 * machine has too few cores for that, the processes may use all cores, and share core 0 with the load. The alternative, all processes on
 * one core, would cost more CPU time, because they would take turns with each request.
 */
export function splitCores(cores: number, processes: number): CoreSplit {
  const last = Math.min(SYSTEM_CORES, cores - 1);
  const load = cores - 1 > SYSTEM_CORES ? `0,${listOf(SYSTEM_CORES + 1, cores - 1)}` : "0";
  return { load, system: processes > last && cores - 1 <= SYSTEM_CORES ? listOf(0, last) : listOf(1, Math.min(processes, last)) };
}

function listOf(first: number, last: number): string {
  return first === last ? String(first) : `${first}-${last}`;
}

export const LOAD_CORES = splitCores(CORES, 1).load;
export const SYSTEM_CORE = splitCores(CORES, 1).system;

export function systemCores(processes: number): string {
  return splitCores(CORES, processes).system;
}

/** Whether a system with this many processes has a core for each process. If not, its throughput says nothing about more cores. */
export function hasCoreForEach(processes: number): boolean {
  return Math.min(SYSTEM_CORES, CORES - 1) >= processes;
}

export function pinned(cores: string, command: readonly string[]): string[] {
  return ["taskset", "-c", cores, ...command];
}

/** Counts this process, with its platform API calls, as load. */
export function pinThisProcess(): void {
  Bun.spawnSync(["taskset", "-acp", LOAD_CORES, String(process.pid)], { stdout: "ignore" });
}

export function coresMissing(): string | null {
  return CORES >= 2 ? null : `The benchmark needs two cores, one for the load and one for the gateway. This process may use ${CORES}.`;
}
