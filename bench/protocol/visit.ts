import { busyNow, foreignShare } from "../machine/busy.ts";
import { processCpuUs } from "../machine/cpu-clock.ts";
import { treeCpuUs, treeRssMib } from "../machine/process-tree.ts";
import type { RunningSystem } from "../systems/system.ts";

/** Longer than any delay of background writes, which are part of the cost of a request. */
const BACKGROUND_DELAY_MS = 400;

/** The result of a load client. */
export interface Work {
  /** Requests, or chunks. */
  readonly units: number;
  readonly wrong: number;
  readonly cpuUs: number;
  readonly figures: Readonly<Record<string, number>>;
  /** Why the measurement is invalid, such as an upstream that could not keep up. */
  readonly flaw?: string | null;
}

export interface Visit {
  readonly system: string;
  readonly units: number;
  readonly wrong: number;
  /** The CPU time of all processes of the system per unit. Null if there is no system. */
  readonly cpuUs: number | null;
  /** The part of `cpuUs` that the owner process used. Null if no process is only the owner. */
  readonly ownerUs: number | null;
  /** The CPU time of the load client and the upstream per unit. */
  readonly loadUs: number;
  readonly rssMib: number | null;
  /** The share of the CPU time that other processes used. */
  readonly foreign: number;
  readonly flaw: string | null;
  readonly figures: Readonly<Record<string, number>>;
}

/** Runs load against a system and measures its cost. `mockPid` is the upstream, whose CPU time is not counted as foreign. */
export async function visit(system: RunningSystem, mockPid: number, load: () => Promise<Work>): Promise<Visit> {
  const cpuOf = (): number => (system.pid === null ? 0 : treeCpuUs(system.pid));
  const ownerOf = (): number => (system.ownerPid === undefined ? 0 : (processCpuUs(system.ownerPid) ?? 0));
  const [mockBefore, ownBefore] = [treeCpuUs(mockPid), ownCpuUs()];
  const [before, cpuBefore, ownerBefore] = [busyNow(), cpuOf(), ownerOf()];
  const work = await load();
  const rssMib = system.pid === null ? null : treeRssMib(system.pid);
  await Bun.sleep(BACKGROUND_DELAY_MS);
  const [cpuUs, ownerUs] = [cpuOf() - cpuBefore, ownerOf() - ownerBefore];
  const loadUs = treeCpuUs(mockPid) - mockBefore + work.cpuUs;
  return {
    system: system.name,
    units: work.units,
    wrong: work.wrong,
    cpuUs: system.pid === null ? null : cpuUs / work.units,
    ownerUs: system.ownerPid === undefined ? null : ownerUs / work.units,
    loadUs: loadUs / work.units,
    rssMib,
    foreign: foreignShare(before, busyNow(), cpuUs + loadUs + ownCpuUs() - ownBefore),
    flaw: work.flaw ?? null,
    figures: work.figures,
  };
}

function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
