import { GateFailure } from "../gate/must.ts";

/** The target of the load. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** The path of chat completions. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Upstream {
  /** The URL up to `/v1`. */
  readonly url: string;
  /** The file with the certificate authority, if the upstream uses TLS. */
  readonly authority?: string;
}

/** Dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export const USUAL_PRICE: Price = { input: 0.15, output: 0.6 };

/** The requirements of a scenario for a system. */
export interface SystemRequirements {
  readonly upstream: Upstream;
  /** The public names of the models, with the upstream's name of each. */
  readonly models: Readonly<Record<string, string>>;
  /** The price of every model. Default: a usual price. */
  readonly price?: Price;
  /** A second upstream, with its own models. Only Tollgate is measured with it. */
  readonly beside?: { readonly upstream: Upstream; readonly models: Readonly<Record<string, string>> };
}

export interface RunningSystem {
  readonly name: string;
  /** Null if there is no process between load and upstream. */
  readonly pid: number | null;
  readonly target: Target;
  /** The process that has the data, if other processes serve the clients. */
  readonly ownerPid?: number;
  stop(): Promise<void>;
}

export interface System {
  readonly name: string;
  readonly version: string;
  /** The configuration in a few sentences, for the results: features that are on, and features that are off. */
  readonly settings?: string;
  /** Whether responses have the public name of the model instead of the upstream's name. */
  readonly renames: boolean;
  /** Set for a gateway that parses responses and serializes them again, which keeps their meaning but not their bytes. */
  readonly reserializes?: boolean;
  /**
   * The share of a scenario's warm-up that this system gets. Default: all of it. A system without a just-in-time compiler needs only a
   * little.
   */
  readonly warmUpShare?: number;
  /** The number of processes that serve clients. Default: one. */
  readonly processes?: number;
  start(wanted: SystemRequirements): Promise<RunningSystem>;
  /** Starts the system with a key that may spend this many dollars, by the system's own budget feature. */
  startWithBudget?(wanted: SystemRequirements, dollars: number): Promise<RunningSystem>;
  /** Why the system cannot take part in a scenario about budgets. */
  readonly noBudget?: string;
}

/** A running system that takes part in a scenario. */
export interface Entrant {
  readonly system: System;
  readonly running: RunningSystem;
}

/** Receives the progress of a run, and the reason for each system that is skipped. */
export interface ProgressReporter {
  reportProgress(text: string): void;
  skipSystem(line: string): void;
}

/**
 * Starts systems one after the other, and stops them when `use` has ended in any way. With a progress reporter, peers that cannot start are
 * skipped.
 */
export async function withSystems<T>(
  systems: readonly System[],
  wanted: SystemRequirements,
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

/** Warms up all systems, and returns those that succeeded. Peers that fail are skipped: only Tollgate and the reference must work. */
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
