import type { BenchRun } from "../bench-run.ts";
import { mustBeRight } from "../gate/right-answers.ts";
import { figureOf } from "../report/figures.ts";
import type { Figure, Part } from "../report/result.ts";
import type { Entrant } from "../systems/system.ts";
import { median } from "./statistics.ts";
import { takeRounds } from "./take-rounds.ts";
import { visit, type Visit, type Work } from "./visit.ts";

export interface FigureOfVisit extends Omit<Figure, "samples"> {
  readonly of: (visit: Visit) => number | null | undefined;
}

export interface PartPlan {
  readonly name: string;
  readonly entrants: readonly Entrant[];
  /** The process ID of the upstream. */
  readonly mockPid: number;
  /** Default: the rounds of the run. */
  readonly rounds?: number;
  readonly work: (entrant: Entrant) => Promise<Work>;
  /**
   * Called before each visit, outside of the measured time. The returned function is called after the visit, and throws if a check fails.
   */
  readonly watch?: (entrant: Entrant) => Promise<(made: Visit) => Promise<void>>;
  readonly figures: readonly FigureOfVisit[];
}

/** Measures rounds of the same work for every system, and their figures. */
export async function measurePart(run: BenchRun, plan: PartPlan): Promise<Part> {
  const byName = new Map(plan.entrants.map((entrant) => [entrant.system.name, entrant]));
  const wanted = Math.min(run.rounds, plan.rounds ?? run.rounds);
  const rounds = await takeRounds({
    systems: [...byName.keys()],
    reference: "nginx",
    wanted,
    noise: run.noise,
    visit: (name) => visitEntrant(plan, byName.get(name)!),
    reportProgress: (text) => run.reportProgress(`${plan.name}: ${text}`),
  });
  return {
    name: plan.name,
    figures: plan.figures.map(({ of, ...about }) => figureOf(rounds.valid, about, of)),
    voided: rounds.void.map(({ reason }) => reason),
    counted: rounds.valid.length,
    wanted,
    ...(run.noise &&
      rounds.valid.length > 0 && { foreign: median(rounds.valid.flatMap(({ visits }) => visits.map(({ foreign }) => foreign))) }),
    rounds: [...rounds.valid, ...rounds.void.map(({ round }) => round)],
  };
}

async function visitEntrant(plan: PartPlan, entrant: Entrant): Promise<Visit> {
  const check = await plan.watch?.(entrant);
  const made = await visit(entrant.running, plan.mockPid, () => plan.work(entrant));
  mustBeRight(entrant.running, made.wrong, `in "${plan.name}"`);
  await check?.(made);
  return made;
}

/** A figure that a load client reports under this name. */
export function told(id: string, name: string, unit: string): FigureOfVisit {
  return { id, name, unit, of: ({ figures }) => figures[id] };
}

export function cpuPer(unit: string): FigureOfVisit {
  return { id: "cpu", name: `CPU per ${unit}`, unit: "µs", of: ({ cpuUs }) => cpuUs };
}

/** The CPU time of the owner process, for systems with a separate owner process. */
export function ownerPer(unit: string): FigureOfVisit {
  return { id: "owner", name: `owner process, per ${unit}`, unit: "µs", of: ({ ownerUs }) => ownerUs };
}

/** The CPU time per request of the load client and the upstream. If their core is fully used, they limit the throughput, not the system. */
export function loadPer(unit: string): FigureOfVisit {
  return { id: "load", name: `load and upstream, per ${unit}`, unit: "µs", of: ({ loadUs }) => loadUs };
}

export const MEMORY: FigureOfVisit = { id: "rss", name: "memory", unit: "MiB", of: ({ rssMib }) => rssMib };
