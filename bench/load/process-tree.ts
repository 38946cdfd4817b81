import { readdirSync, readFileSync } from "node:fs";
import { CannotMeasure } from "./argument.ts";

/** What a process and all of its descendants occupy: some gateways are a master with workers. */
export interface Occupied {
  readonly rssKb: number;
  readonly fds: number;
}

export function occupiedBy(pid: number): Occupied {
  const pids = treeOf(pid);
  if (pids.length === 0) throw new CannotMeasure(`There is no process ${pid}.`);
  return { rssKb: sum(pids.map(residentKb)), fds: sum(pids.map(descriptors)) };
}

function treeOf(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`);
  if (children === undefined) return [];
  return [pid, ...children.split(" ").flatMap((child) => (child === "" ? [] : treeOf(Number(child))))];
}

function residentKb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1] ?? 0);
}

function descriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Undefined where the process has ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
