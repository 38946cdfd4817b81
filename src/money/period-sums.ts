import type { Nanos } from "./money.ts";

/** Calendar days or months (UTC), the periods of spend caps. */
export type Period = "day" | "month";

const DAY_MS = 86_400_000;

/** Days since 1970. */
export function dayAt(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** Months since year 0. */
export function monthAt(ms: number): number {
  const date = new Date(ms);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** When a day or a month begins. */
export function startOfPeriod(period: Period, number: number): number {
  return period === "day" ? number * DAY_MS : Date.UTC(Math.floor(number / 12), number % 12);
}

/**
 * The spend per day or per month in constant memory: the two latest periods with charges are known, and so is
 * that nothing was spent between and after them. A clock that is set back over midnight returns to the earlier one.
 */
export class PeriodSums {
  /** The number of the latest period with a charge. */
  latest: number;
  latestNanos: Nanos;
  /** The previous period with a charge. Earlier ones are not known here. */
  #previous: number;
  #previousNanos: Nanos;

  /** Continues after the latest periods: earlier ones are not known. */
  constructor(latest = 0, latestNanos: Nanos = 0n, previous = latest, previousNanos: Nanos = 0n) {
    this.latest = latest;
    this.latestNanos = latestNanos;
    this.#previous = previous;
    this.#previousNanos = previousNanos;
  }

  get previous(): number {
    return this.#previous;
  }

  get previousNanos(): Nanos {
    return this.#previousNanos;
  }

  add(period: number, amount: Nanos): void {
    if (period === this.latest) this.latestNanos += amount;
    else if (period > this.latest) {
      this.#setPrevious(this.latest, this.latestNanos);
      this.latest = period;
      this.latestNanos = amount;
    } else if (period === this.#previous) this.#previousNanos += amount;
    else if (period > this.#previous) this.#setPrevious(period, amount);
  }

  /** Undefined where that is not known here. */
  of(period: number): Nanos | undefined {
    if (period >= this.latest) return period === this.latest ? this.latestNanos : 0n;
    if (period < this.#previous) return undefined;
    return period === this.#previous ? this.#previousNanos : 0n;
  }

  #setPrevious(period: number, nanos: Nanos): void {
    this.#previous = period;
    this.#previousNanos = nanos;
  }
}
