/** Where the load goes. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Of chat completions. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Upstream {
  /** Up to `/v1`. */
  readonly url: string;
  /** The file with the authority that signed its certificate, where it speaks TLS. */
  readonly authority?: string;
}

/** What is started for a scenario. */
export interface Wanted {
  readonly upstream: Upstream;
  /** The names by which models can be called, with the upstream's own for each. */
  readonly models: Readonly<Record<string, string>>;
  /** Another upstream, for models of its own. Only our own gateway is ever asked for it. */
  readonly beside?: { readonly upstream: Upstream; readonly models: Readonly<Record<string, string>> };
}

export interface RunningSystem {
  readonly name: string;
  /** Null where there is nothing between load and upstream. */
  readonly pid: number | null;
  readonly target: Target;
  stop(): Promise<void>;
}

export interface System {
  readonly name: string;
  readonly version: string;
  /** Whether answers carry the public name of the model in the place of the upstream's. */
  readonly renames: boolean;
  start(wanted: Wanted): Promise<RunningSystem>;
}

/** A system that takes part, and is up. */
export interface Entrant {
  readonly system: System;
  readonly running: RunningSystem;
}

/** Starts systems one after the other, and ends them when `use` has ended in any way. */
export async function withSystems<T>(
  systems: readonly System[],
  wanted: Wanted,
  use: (entrants: readonly Entrant[]) => Promise<T>,
): Promise<T> {
  const entrants: Entrant[] = [];
  try {
    for (const system of systems) entrants.push({ system, running: await system.start(wanted) });
    return await use(entrants);
  } finally {
    for (const { running } of entrants) await running.stop();
  }
}

/**
 * Warms all systems up, and gives those that could. Where one of the others cannot, that is told and it is left out: only of ours
 * and of the reference must everything be right.
 */
export async function warmAll(
  entrants: readonly Entrant[],
  tell: (text: string) => void,
  warm: (entrant: Entrant) => Promise<unknown>,
): Promise<Entrant[]> {
  const able: Entrant[] = [];
  for (const entrant of entrants) {
    const { name } = entrant.system;
    tell(`warming ${name} up`);
    try {
      await warm(entrant);
      able.push(entrant);
    } catch (error) {
      if (name === "tollgate" || name === "nginx") throw error;
      tell(`${name} is left out: ${String(error).slice(0, 500)}`);
    }
  }
  return able;
}

export const CHAT = "/v1/chat/completions";

export function targetAt(port: number, headers: Readonly<Record<string, string>> = {}, path = CHAT): Target {
  return { host: "127.0.0.1", port, path, headers: { "content-type": "application/json", ...headers } };
}
