import { SYSTEM_CLOCK, type Clock } from "./refreshed-credentials.ts";

/** Clouds accept signatures that are up to five minutes off, and some services less. A `Date` header has seconds, and takes a while to arrive. */
const TOLERATED_MS = 60_000;

/** The clock of a cloud, as far as this machine knows it: what it signs is rejected when its own is wrong. */
export class CloudClock {
  readonly #local: Pick<Clock, "nowMs">;
  #skewMs = 0;

  constructor(local: Pick<Clock, "nowMs"> = SYSTEM_CLOCK) {
    this.#local = local;
  }

  nowMs(): number {
    return this.#local.nowMs() + this.#skewMs;
  }

  /** By the clock of this machine. */
  localMs(): number {
    return this.#local.nowMs();
  }

  /** How far the clock of this machine is behind. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** Takes note of the time at a server. Returns whether this clock was wrong until now. */
  correct(serverMs: number | undefined): boolean {
    if (serverMs === undefined || Math.abs(serverMs - this.nowMs()) <= TOLERATED_MS) return false;
    const skewMs = serverMs - this.#local.nowMs();
    this.#skewMs = Math.abs(skewMs) > TOLERATED_MS ? skewMs : 0;
    return true;
  }
}
