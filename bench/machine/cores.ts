import { availableParallelism } from "node:os";

/** The core of the load and the upstream, so that the measured system has a core of its own. */
export const LOAD_CORE = 0;
export const SYSTEM_CORE = 1;

export function pinned(core: number, command: readonly string[]): string[] {
  return ["taskset", "-c", String(core), ...command];
}

/** This process itself, with its calls of the platform, counts as load. */
export function pinThisProcess(): void {
  Bun.spawnSync(["taskset", "-acp", String(LOAD_CORE), String(process.pid)], { stdout: "ignore" });
}

export function coresMissing(): string | null {
  const cores = availableParallelism();
  return cores >= 2 ? null : `The benchmark needs two cores, one for the load and one for the gateway. This process may use ${cores}.`;
}
