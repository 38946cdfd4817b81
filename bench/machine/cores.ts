import { availableParallelism } from "node:os";

/** Load and upstream are here, so that what is measured has a core of its own. */
export const LOAD_CORE = 0;
export const SYSTEM_CORE = 1;

export function pinned(core: number, command: readonly string[]): string[] {
  return ["taskset", "-c", String(core), ...command];
}

/** Everything that this process does itself, such as asking the platform, is load too. */
export function pinThisProcess(): void {
  Bun.spawnSync(["taskset", "-acp", String(LOAD_CORE), String(process.pid)], { stdout: "ignore" });
}

export function coresMissing(): string | null {
  const cores = availableParallelism();
  return cores >= 2 ? null : `The benchmark needs two cores, one for the load and one for the gateway. This process may use ${cores}.`;
}
