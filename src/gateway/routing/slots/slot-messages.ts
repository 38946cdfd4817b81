import type { Concurrency } from "../../../models/upstream-settings.ts";

/** The name of both sides of the service. */
export const SLOTS = "slots";

/**
 * How scarce the slots of a pool are: `ample`, the owner has free ones, or nobody has asked in vain; `recalled`, it has none, and has recalled the
 * idle ones of its processes; `short`, all of them are in use.
 */
export type Supply = "ample" | "recalled" | "short";

/** Process to owner: so many calls wait for a slot. It replaces what the process has asked for before; 0 withdraws it. */
export interface SlotAsk {
  readonly pool: string;
  readonly waiting: number;
}

/** Process to owner: it returns so many slots. The first one after a recall answers it, also with none. */
export interface SlotReturn {
  readonly pool: string;
  readonly slots: number;
  readonly isAnswer: boolean;
}

/** Owner to process: it leases so many more slots to it. */
export interface SlotGrant {
  readonly pool: string;
  readonly slots: number;
  readonly supply: Supply;
  /** While slots are not ample, a process with no more than this passes them to its own calls, and returns the others. */
  readonly keep: number;
}

/** Process to owner, when it connects: the slots that it has, in use or not. */
export type SlotStatement = readonly (readonly [pool: string, leased: number])[];

/** The pool of an upstream with these bounds: other bounds are another pool. */
export function poolOf(upstream: string, { maxCalls, maxQueued, maxWaitMs }: Concurrency): string {
  return JSON.stringify([upstream, maxCalls, maxQueued, maxWaitMs]);
}

export function maxCallsOf(pool: string): number {
  return (JSON.parse(pool) as [string, number])[1];
}
