import type { Concurrency } from "../../../models/upstream-settings.ts";

/** The name of both sides of the service. */
export const SLOTS = "slots";

/**
 * How scarce the slots of a pool are: `ample`: the owner has free slots, or every ask was granted; `recalled`: the owner has no free slots,
 * and has recalled the idle slots of its processes; `short`: all slots are in use.
 */
export type Supply = "ample" | "recalled" | "short";

/** Process to owner: this many calls wait for a slot. It replaces the previous ask of the process; 0 withdraws it. */
export interface SlotRequest {
  readonly pool: string;
  readonly waiting: number;
}

/** Process to owner: returns this many slots. The first return after a recall is the reply to the recall, even if it returns 0 slots. */
export interface SlotReturn {
  readonly pool: string;
  readonly slots: number;
  readonly isAnswer: boolean;
}

/** Owner to process: leases this many more slots to the process. */
export interface SlotGrant {
  readonly pool: string;
  readonly slots: number;
  readonly supply: Supply;
  /**
   * The share of the process. While slots are not `ample`, a process passes slots up to its share to its own calls, and returns the others.
   */
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
