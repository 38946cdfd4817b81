import { availableParallelism } from "node:os";
import { ConfigError, type Environment } from "./config-error.ts";

/** The machine on which the processes would run. */
interface Machine {
  readonly platform: NodeJS.Platform;
  /** The cores that this process may use, limited by CPU affinity and the container's CPU limit. */
  readonly cores: number;
}

const MAX_PROCESSES = 256;

/** Options of `tollgate start` (as text) and `tollgate config check`. Each takes precedence over its variable. */
export interface StartOptions {
  readonly processes?: string | undefined;
  readonly role?: string | undefined;
  /** For a check: secrets and the variables of the config file may be missing. */
  readonly withoutSecrets?: boolean;
}

/** The number of gateway processes, by the option or the variable. */
export function readProcesses({ processes }: StartOptions, env: Environment, variable: string): number {
  return processes === undefined ? readProcessCount(env[variable] || undefined, variable) : readProcessCount(processes, "--processes");
}

/**
 * The number of gateway processes: a whole number, or `auto` for one per core. `name` is the setting that the message names. macOS gives
 * all connections of a shared port to one of its listeners, so more processes would be idle.
 */
export function readProcessCount(text: string | undefined, name: string, machine: Machine = thisMachine()): number {
  if (text === undefined) return 1;
  const hasOneListener = machine.platform === "darwin";
  if (text === "auto") return hasOneListener ? 1 : Math.min(machine.cores, MAX_PROCESSES);
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_PROCESSES) {
    throw new ConfigError(`${name} must be a whole number between 1 and ${MAX_PROCESSES}, or auto, not ${JSON.stringify(text)}`);
  }
  if (count > 1 && hasOneListener) {
    throw new ConfigError(`${name} must be 1 or auto on macOS, not ${count}: macOS does not distribute connections among processes`);
  }
  return count;
}

function thisMachine(): Machine {
  return { platform: process.platform, cores: availableParallelism() };
}
