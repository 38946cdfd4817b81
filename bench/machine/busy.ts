import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

const TICK_US = 10_000;

export interface Busy {
  /** All work of the machine so far, that of its host included, which is called stolen. */
  readonly workUs: number;
  readonly atMs: number;
}

export function busyNow(): Busy {
  const fields = readFileSync("/proc/stat", "utf8").split("\n")[0]!.trim().split(/\s+/).slice(1).map(Number);
  const [user, nice, system, , , irq, softirq, steal] = fields;
  return { workUs: (user! + nice! + system! + irq! + softirq! + steal!) * TICK_US, atMs: performance.now() };
}

/** Which part of the machine worked for others than us, from 0 to 1. */
export function foreignShare(before: Busy, after: Busy, oursUs: number): number {
  const roomUs = (after.atMs - before.atMs) * 1000 * availableParallelism();
  return Math.max(0, (after.workUs - before.workUs - oursUs) / roomUs);
}
