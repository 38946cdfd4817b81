import type { ScopeUsage } from "./limit-messages.ts";
import type { LimitScope, LimitState, LimitStates, ScopeName } from "./limit-store.ts";
import { WINDOW_MS } from "./rate-window.ts";
import { OwnCounters, type Slice } from "./slice.ts";

/** The usage of a rate limit by other processes, at the last reply of the authority. */
interface UsedElsewhere {
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
  /** Slices that were given up, while requests admitted from them still count. */
  #returned: OwnCounters[] = [];
  #elsewhere: Readonly<Record<"requests" | "tokens", UsedElsewhere>> | undefined;
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
  learn([requests, requestsResetMs, tokens, tokensResetMs]: ScopeUsage, nowMs: number): void {
    this.#knownAtMs = nowMs;
    this.#elsewhere = {
      requests: { amount: requests - this.#countedOf("requests", nowMs), resetAtMs: nowMs + requestsResetMs },
      tokens: { amount: tokens - this.#countedOf("tokens", nowMs), resetAtMs: nowMs + tokensResetMs },
    };
  }

  stateOf(what: "requests" | "tokens", limit: number | null, nowMs: number): LimitState | undefined {
    if (limit === null || !this.#isKnown(nowMs)) return undefined;
    const { amount, resetAtMs } = this.#elsewhere![what];
    const resetElsewhereMs = amount > 0 ? Math.max(0, resetAtMs - nowMs) : 0;
    let remaining = limit - this.#countedOf(what, nowMs) - (resetElsewhereMs > 0 ? amount : 0);
    let resetMs = Math.max(resetElsewhereMs, this.asked[what].resetMs(nowMs));
    for (const counters of this.#returned) resetMs = Math.max(resetMs, counters[what].resetMs(nowMs));
    if (this.slice) {
      const own = this.slice.counters[what];
      remaining -= own.used(nowMs);
      resetMs = Math.max(resetMs, own.resetMs(nowMs));
    }
    return { limit, remaining: Math.max(0, remaining), resetMs };
  }

  isIdle(nowMs: number): boolean {
    return !this.slice && !this.#isKnown(nowMs) && this.counted().every((counters) => counters.isIdle(nowMs));
  }

  #countedOf(what: "requests" | "tokens", nowMs: number): number {
    let sum = this.asked[what].used(nowMs);
    for (const counters of this.#returned) sum += counters[what].used(nowMs);
    return sum;
  }

  /**
   * After a window everything in the last reply has expired, and later usage of other processes is unknown, unless it is reported for a
   * slice.
   */
  #isKnown(nowMs: number): boolean {
    return this.#elsewhere !== undefined && (this.slice !== undefined || nowMs - this.#knownAtMs < WINDOW_MS);
  }
}

/** The states of the limits with the least remaining. */
export function tightestStates(scopes: readonly LimitScope[], takenIn: (scope: LimitScope) => LocalUsage, nowMs: number): LimitStates {
  let requests: LimitState | undefined;
  let tokens: LimitState | undefined;
  for (const scope of scopes) {
    const taken = takenIn(scope);
    requests = tighter(requests, taken.stateOf("requests", scope.limits.requestsPerMinute, nowMs));
    tokens = tighter(tokens, taken.stateOf("tokens", scope.limits.tokensPerMinute, nowMs));
  }
  return { requests, tokens };
}

function tighter(known: LimitState | undefined, other: LimitState | undefined): LimitState | undefined {
  return known && (!other || known.remaining <= other.remaining) ? known : other;
}
