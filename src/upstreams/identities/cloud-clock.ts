import { SYSTEM_CLOCK, type Clock } from "./refreshed-credentials.ts";

/**
 * The smallest clock difference that is corrected. Clouds accept signatures that are off by up to five minutes, some services by less. A
 * `Date` header has whole seconds, and takes a while to arrive.
 */
const TOLERATED_MS = 60_000;

/** The clock of a cloud, as known to this machine. If this machine's own clock is wrong, its signatures are rejected. */
export class CloudClock {
  readonly #local: Pick<Clock, "nowMs">;
  #skewMs = 0;

  constructor(local: Pick<Clock, "nowMs"> = SYSTEM_CLOCK) {
    this.#local = local;
  }

  nowMs(): number {
    return this.#local.nowMs() + this.#skewMs;
  }

  /** The time by the clock of this machine. */
  localMs(): number {
    return this.#local.nowMs();
  }

  /** How far the clock of this machine is behind the cloud's. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** Records the time at a server. Returns whether the known clock was wrong until now. */
  correct(serverMs: number | undefined): boolean {
    if (serverMs === undefined || Math.abs(serverMs - this.nowMs()) <= TOLERATED_MS) return false;
    const skewMs = serverMs - this.#local.nowMs();
    this.#skewMs = Math.abs(skewMs) > TOLERATED_MS ? skewMs : 0;
    return true;
  }
}
