/** How long the wall clock must advance in step with the monotonic clock before it is trusted. */
export const TRUST_AFTER_MS = 10 * 60 * 1000;
/** Small adjustments (NTP) are normal. */
const SLACK_MS = 60 * 1000;

export interface Clocks {
  /** The wall clock, which can be set. */
  readonly nowMs: () => number;
  /** The monotonic clock, which is never set. */
  readonly monotonicMs: () => number;
}

/**
 * Decides whether the wall clock can be trusted. If it were wrong for a moment, after a boot or a suspend, retention would delete all days.
 * It is trusted after it has advanced in step with the monotonic clock for 10 minutes, and again whenever it returns to that offset.
 */
export class TrustedWallClock {
  readonly #clocks: Clocks;
  #offsetMs: number;
  #sinceMs: number;
  #trustedOffsetMs = Number.NaN;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#sinceMs = clocks.monotonicMs();
    this.#offsetMs = clocks.nowMs() - this.#sinceMs;
  }

  /** Whether the clock is trusted. Call it regularly: a jump of the clock is only detected here. */
  isTrusted(): boolean {
    const monotonicMs = this.#clocks.monotonicMs();
    const offsetMs = this.#clocks.nowMs() - monotonicMs;
    if (!isNear(offsetMs, this.#offsetMs)) this.#sinceMs = monotonicMs;
    this.#offsetMs = offsetMs;
    const isTrusted = isNear(offsetMs, this.#trustedOffsetMs) || monotonicMs - this.#sinceMs >= TRUST_AFTER_MS;
    if (isTrusted) this.#trustedOffsetMs = offsetMs;
    return isTrusted;
  }
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= SLACK_MS;
}
