import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

const TICK_US = 10_000;

export interface MachineWork {
  /** The CPU time of the machine so far, including stolen time. */
  readonly workUs: number;
  readonly atMs: number;
}

export function busyNow(): MachineWork {
  const fields = readFileSync("/proc/stat", "utf8").split("\n")[0]!.trim().split(/\s+/).slice(1).map(Number);
  const [user, nice, system, , , irq, softirq, steal] = fields;
  return { workUs: (user! + nice! + system! + irq! + softirq! + steal!) * TICK_US, atMs: performance.now() };
}

/** The share of the CPU time that other processes used, from 0 to 1. */
export function foreignShare(before: MachineWork, after: MachineWork, oursUs: number): number {
  const roomUs = (after.atMs - before.atMs) * 1000 * availableParallelism();
  return Math.max(0, (after.workUs - before.workUs - oursUs) / roomUs);
}
