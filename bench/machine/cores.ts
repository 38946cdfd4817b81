import { availableParallelism } from "node:os";

/** Before this process is pinned, which lowers the number. */
const CORES = availableParallelism();

/** Systems share at most so many cores, so that a large machine has the others for the load. */
const SYSTEM_CORES = 4;

export interface CoreSplit {
  /** Core lists, as `taskset` takes them. */
  readonly load: string;
  readonly system: string;
}

/**
 * Core 0 runs the load and the upstream, with the cores that no system uses. A system has a core for each of its processes. Where the machine
 * has too few for that, the processes may use all cores, and share the first with the load: on one core they would take turns with each
 * request, which costs more CPU time than it does with a core for each.
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

/** Whether each process of a system with that many has a core of its own. Where not, its throughput says nothing about more cores. */
export function hasCoreForEach(processes: number): boolean {
  return Math.min(SYSTEM_CORES, CORES - 1) >= processes;
}

export function pinned(cores: string, command: readonly string[]): string[] {
  return ["taskset", "-c", cores, ...command];
}

/** This process itself, with its calls of the platform, counts as load. */
export function pinThisProcess(): void {
  Bun.spawnSync(["taskset", "-acp", LOAD_CORES, String(process.pid)], { stdout: "ignore" });
}

export function coresMissing(): string | null {
  return CORES >= 2 ? null : `The benchmark needs two cores, one for the load and one for the gateway. This process may use ${CORES}.`;
}
