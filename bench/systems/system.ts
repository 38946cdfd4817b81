import { GateFailure } from "../gate/must.ts";

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

/** Dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export const USUAL_PRICE: Price = { input: 0.15, output: 0.6 };

/** What is started for a scenario. */
export interface Wanted {
  readonly upstream: Upstream;
  /** The names by which models can be called, with the upstream's own for each. */
  readonly models: Readonly<Record<string, string>>;
  /** The price of every model; a usual one, if not given. */
  readonly price?: Price;
  /** Another upstream, for models of its own. Only our own gateway is ever asked for it. */
  readonly beside?: { readonly upstream: Upstream; readonly models: Readonly<Record<string, string>> };
}

export interface RunningSystem {
  readonly name: string;
  /** Null where there is nothing between load and upstream. */
  readonly pid: number | null;
  readonly target: Target;
  /** The process that has the data, where others serve the clients. */
  readonly ownerPid?: number;
  stop(): Promise<void>;
}

export interface System {
  readonly name: string;
  readonly version: string;
  /** Its configuration in a few sentences, for the results: features that are on, and features that are off. */
  readonly settings?: string;
  /** Whether answers carry the public name of the model in the place of the upstream's. */
  readonly renames: boolean;
  /** A gateway that parses and serializes responses again keeps their meaning, and not their bytes. */
  readonly reserializes?: boolean;
  /** The share of a scenario's warm-up that it gets; all of it, if not given. Without a just-in-time compiler little is enough. */
  readonly warmUpShare?: number;
  /** How many processes serve clients; one, if not given. */
  readonly processes?: number;
  start(wanted: Wanted): Promise<RunningSystem>;
  /** Starts it with a key that may spend this many dollars, by its own budget feature. */
  startWithBudget?(wanted: Wanted, dollars: number): Promise<RunningSystem>;
  /** Why it cannot take part in a scenario about budgets. */
  readonly noBudget?: string;
}

/** A system that takes part, and is up. */
export interface Entrant {
  readonly system: System;
  readonly running: RunningSystem;
}

/** Receives the progress of a run, and the reason for each system that is skipped. */
export interface ProgressReporter {
  reportProgress(text: string): void;
  skipSystem(line: string): void;
}

/** Starts systems one after the other, and ends them when `use` has ended in any way. With a watcher, peers that cannot start are skipped. */
export async function withSystems<T>(
  systems: readonly System[],
  wanted: Wanted,
  use: (entrants: readonly Entrant[]) => Promise<T>,
  watcher?: ProgressReporter,
): Promise<T> {
  const entrants: Entrant[] = [];
  try {
    for (const system of systems) {
      await system.start(wanted).then(
        (running) => entrants.push({ system, running }),
        (error: unknown) => skipSystem(system, error, watcher),
      );
    }
    return await use(entrants);
  } finally {
    for (const { running } of entrants) await running.stop();
  }
}

/** Warms all systems up, and gives those that could. Peers that cannot are left out: only our gateway and the reference must work. */
export async function warmAll(
  entrants: readonly Entrant[],
  watcher: ProgressReporter,
  warm: (entrant: Entrant) => Promise<unknown>,
): Promise<Entrant[]> {
  const able: Entrant[] = [];
  for (const entrant of entrants) {
    watcher.reportProgress(`warming ${entrant.system.name} up`);
    await warm(entrant).then(
      () => able.push(entrant),
      (error: unknown) => skipSystem(entrant.system, error, watcher),
    );
  }
  return able;
}

function skipSystem({ name }: System, error: unknown, watcher?: ProgressReporter): void {
  if (watcher === undefined || name === TOLLGATE || name === "nginx" || error instanceof GateFailure) throw error;
  watcher.skipSystem(`${name}: ${String(error).slice(0, 500)}`);
}

export const TOLLGATE = "tollgate";

/** Whether a system is this checkout, with any number of processes. */
export function isTollgateName(name: string): boolean {
  return name === TOLLGATE || name.startsWith(`${TOLLGATE}-`);
}

export const CHAT = "/v1/chat/completions";

export function targetAt(port: number, headers: Readonly<Record<string, string>> = {}, path = CHAT): Target {
  return { host: "127.0.0.1", port, path, headers: { "content-type": "application/json", ...headers } };
}
