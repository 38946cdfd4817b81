/** How long the two clocks must have agreed before the one on the wall is believed. */
export const TRUST_AFTER_MS = 10 * 60 * 1000;
/** Clocks are put right by a little all the time. */
const SLACK_MS = 60 * 1000;

export interface Clocks {
  /** The clock on the wall. */
  readonly nowMs: () => number;
  /** The one that is never set. */
  readonly monotonicMs: () => number;
}

/**
 * Whether the clock on the wall can be believed. One that is wrong for a moment, after a start or a pause of the machine, would have
 * all days dropped as too old. So it is believed when it has gone along with the other clock for a while, and when it comes back to that.
 */
export class TrustedWallClock {
  readonly #clocks: Clocks;
  #offsetMs: number;
  #sinceMs: number;
  #believedMs = Number.NaN;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#sinceMs = clocks.monotonicMs();
    this.#offsetMs = clocks.nowMs() - this.#sinceMs;
  }

  /** To be asked again and again: it sees a jump of the clock only when it is asked. */
  isTrusted(): boolean {
    const monotonicMs = this.#clocks.monotonicMs();
    const offsetMs = this.#clocks.nowMs() - monotonicMs;
    if (!isNear(offsetMs, this.#offsetMs)) this.#sinceMs = monotonicMs;
    this.#offsetMs = offsetMs;
    const isTrusted = isNear(offsetMs, this.#believedMs) || monotonicMs - this.#sinceMs >= TRUST_AFTER_MS;
    if (isTrusted) this.#believedMs = offsetMs;
    return isTrusted;
  }
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= SLACK_MS;
}
