import type { ScopeUsage } from "./limit-messages.ts";
import { WINDOW_LIMITS } from "../../money/limits.ts";
import { noteState, SHORT_WINDOW_MS, type Tightest } from "./counters.ts";
import type { LimitScope, ScopeName } from "./limit-store.ts";
import { OwnCounters, type Slice } from "./slice.ts";

/** The usage of a rate limit by other processes, at the last reply of the authority. */
interface RemoteUsage {
  readonly amount: number;
  readonly resetAtMs: number;
}

/**
 * The state of one scope in a gateway process: the requests that it has admitted itself, by its own clock, and the usage in other
 * processes.
 */
export class LocalUsage {
  slice: Slice | undefined;
  /** The requests for which the authority was asked. */
  readonly asked: OwnCounters;
  /** Returned slices whose admitted requests still count. */
  #returned: OwnCounters[] = [];
  /** By `WINDOW_LIMITS`. */
  #elsewhere: readonly RemoteUsage[] | undefined;
  #knownAtMs = 0;

  constructor(scope: ScopeName) {
    this.asked = new OwnCounters(scope);
  }

  /** From now on the authority counts the requests of the slice. */
  giveUp(slice: Slice, nowMs: number): void {
    this.slice = undefined;
    slice.counters.slice = undefined;
    this.#returned = this.#returned.filter((counters) => !counters.isIdle(nowMs));
    this.#returned.push(slice.counters);
  }

  /** The counters that the authority counts, or will count when it receives them. */
  counted(): readonly OwnCounters[] {
    return [this.asked, ...this.#returned];
  }

  /** The authority has replied with the whole usage of the scope, except for this process's slice. */
  learn(usage: ScopeUsage, nowMs: number): void {
    this.#knownAtMs = nowMs;
    this.#elsewhere = WINDOW_LIMITS.map((_, at) => {
      const [used, resetMs] = usage[at] ?? [0, 0];
      return { amount: used - this.#countedOf(at, nowMs), resetAtMs: nowMs + resetMs };
    });
  }

  /** Notes the states of the limits, as far as they are known. */
  noteStates(states: Tightest, scope: LimitScope, nowMs: number): void {
    if (!this.#isKnown(nowMs)) return;
    for (const [at, { amount, resetAtMs }] of this.#elsewhere!.entries()) {
      const resetElsewhereMs = amount > 0 ? Math.max(0, resetAtMs - nowMs) : 0;
      let used = this.#countedOf(at, nowMs) + (resetElsewhereMs > 0 ? amount : 0);
      let resetMs = Math.max(resetElsewhereMs, this.asked.resetMs(at, nowMs));
      for (const counters of this.#returned) resetMs = Math.max(resetMs, counters.resetMs(at, nowMs));
      if (this.slice) {
        const own = this.slice.counters;
        used += own.used(at, nowMs);
        resetMs = Math.max(resetMs, own.resetMs(at, nowMs));
      }
      noteState(states, at, scope, used, resetMs);
    }
  }

  isIdle(nowMs: number): boolean {
    return !this.slice && !this.#isKnown(nowMs) && this.counted().every((counters) => counters.isIdle(nowMs));
  }

  #countedOf(at: number, nowMs: number): number {
    let sum = this.asked.used(at, nowMs);
    for (const counters of this.#returned) sum += counters.used(at, nowMs);
    return sum;
  }

  /**
   * After a minute most of the last reply has expired, and later usage of other processes is unknown, unless it is reported for a slice.
   */
  #isKnown(nowMs: number): boolean {
    return this.#elsewhere !== undefined && (this.slice !== undefined || nowMs - this.#knownAtMs < SHORT_WINDOW_MS);
  }
}
