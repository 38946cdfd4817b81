import { readdirSync, readFileSync } from "node:fs";
import { processCpuUs } from "./cpu-clock.ts";

/** The CPU time of ended children has a resolution of 10 ms. */
const TICK_US = 10_000;

interface Stat {
  readonly parent: number;
  readonly childrenUs: number;
}

/** The CPU time of a process and all of its descendants so far. */
export function treeCpuUs(root: number): number {
  return treeOf(root).reduce((sum, pid) => sum + (processCpuUs(pid) ?? 0) + (statOf(pid)?.childrenUs ?? 0), 0);
}

/** The memory of a process and all of its descendants, in MiB. */
export function treeRssMib(root: number): number {
  return treeOf(root).reduce((sum, pid) => sum + rssMib(pid), 0);
}

export function isUp(pid: number): boolean {
  return statOf(pid) !== null;
}

/** A process and all of its descendants, itself first. */
export function treeOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (stat) parents.set(Number(name), stat.parent);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...[...parents].filter(([, parent]) => parent === pid).map(([child]) => child));
  return tree;
}

/** Null if the process has ended. */
function statOf(pid: number): Stat | null {
  try {
    // The name in parentheses may contain any character: the fields start after the last parenthesis.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ").map(Number);
    return { parent: fields[1]!, childrenUs: (fields[13]! + fields[14]!) * TICK_US };
  } catch {
    return null;
  }
}

function rssMib(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
