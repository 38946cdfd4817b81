import { CONCURRENCY_AT, type RateLimits, readRates, WINDOW_LIMITS } from "../../money/limits.ts";
import { Counters } from "./counters.ts";
import type { GrantMessage } from "./limit-messages.ts";
import type { ScopeName } from "./limit-store.ts";

/** The requests that this process has admitted in one scope. */
export class OwnCounters extends Counters {
  readonly scope: ScopeName;
  /** The slice that they were admitted from. Undefined if the authority counts the requests, or will count them when it receives them. */
  slice: Slice | undefined;

  constructor(scope: ScopeName) {
    super();
    this.scope = scope;
  }
}

/** The part of a scope's limits that this process may use in any window without calling the authority. */
export class Slice {
  readonly lease: number;
  readonly counters: OwnCounters;
  /** The limits of the scope, from which the slice was cut. */
  readonly #whole: RateLimits;
  #slice: RateLimits;
  /** Whether anything was admitted from it since the last report. */
  isUsed = false;

  constructor({ lease, kind, id, limits, slice }: GrantMessage) {
    this.lease = lease;
    this.counters = new OwnCounters({ kind, id });
    this.counters.slice = this;
    this.#whole = readRates(limits);
    this.#slice = readRates(slice);
  }

  widen({ slice }: GrantMessage): void {
    this.#slice = readRates(slice);
  }

  /** Whether the limits of the scope are still the limits from which the slice was cut. */
  isOf({ amounts }: RateLimits): boolean {
    for (let at = 0; at < amounts.length; at++) if (amounts[at] !== this.#whole.amounts[at]) return false;
    return true;
  }

  fits(tokens: number, nowMs: number): boolean {
    const { counters } = this;
    const { amounts } = this.#slice;
    for (let at = 0; at < WINDOW_LIMITS.length; at++) {
      const limit = amounts[at]!;
      const { counts } = WINDOW_LIMITS[at]!;
      if (limit !== null && counters.used(at, nowMs) + (counts === "tokens" ? tokens : 1) > limit) return false;
    }
    const concurrent = amounts[CONCURRENCY_AT]!;
    return concurrent === null || counters.concurrent < concurrent;
  }

  /** Whether requests have used more than estimated and more than the slice, so that the authority does not know the full usage. */
  isExceeded(nowMs: number): boolean {
    for (let at = 0; at < WINDOW_LIMITS.length; at++) {
      const limit = this.#slice.amounts[at]!;
      if (limit !== null && this.counters.used(at, nowMs) > limit) return true;
    }
    return false;
  }
}
