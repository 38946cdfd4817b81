import { busyNow, foreignShare } from "../machine/busy.ts";
import { treeCpuUs, treeRssMib } from "../machine/process-tree.ts";
import type { RunningSystem } from "../systems/system.ts";

/** Longer than anything is put off by: what is written later is part of what a request costs. */
const PUT_OFF_MS = 400;

/** What a load client says of its work. */
export interface Work {
  /** Requests, or chunks. */
  readonly units: number;
  readonly wrong: number;
  readonly cpuUs: number;
  readonly figures: Readonly<Record<string, number>>;
  /** Why what was measured means nothing, such as an upstream that could not keep up. */
  readonly flaw?: string | null;
}

export interface Visit {
  readonly system: string;
  readonly units: number;
  readonly wrong: number;
  /** Of the system's whole tree of processes, for a unit. Null where there is no system. */
  readonly cpuUs: number | null;
  readonly rssMib: number | null;
  /** Which part of the machine worked for others meanwhile. */
  readonly foreign: number;
  readonly flaw: string | null;
  readonly figures: Readonly<Record<string, number>>;
}

/** Puts load on a system, and weighs what it costs. `mockPid` is the upstream's, whose work is ours and not foreign. */
export async function visit(system: RunningSystem, mockPid: number, load: () => Promise<Work>): Promise<Visit> {
  const cpuOf = (): number => (system.pid === null ? 0 : treeCpuUs(system.pid));
  const oursBefore = cpuOf() + treeCpuUs(mockPid) + ownCpuUs();
  const [before, cpuBefore] = [busyNow(), cpuOf()];
  const work = await load();
  const rssMib = system.pid === null ? null : treeRssMib(system.pid);
  await Bun.sleep(PUT_OFF_MS);
  const cpuUs = cpuOf() - cpuBefore;
  const oursUs = cpuOf() + treeCpuUs(mockPid) + ownCpuUs() - oursBefore + work.cpuUs;
  return {
    system: system.name,
    units: work.units,
    wrong: work.wrong,
    cpuUs: system.pid === null ? null : cpuUs / work.units,
    rssMib,
    foreign: foreignShare(before, busyNow(), oursUs),
    flaw: work.flaw ?? null,
    figures: work.figures,
  };
}

function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
