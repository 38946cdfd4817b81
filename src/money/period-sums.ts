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

/** The start of a day or a month. */
export function startOfPeriod(period: Period, number: number): number {
  return period === "day" ? number * DAY_MS : Date.UTC(Math.floor(number / 12), number % 12);
}

/**
 * The spend per day or per month in constant memory. It holds the sums of the two latest periods with charges, and knows that nothing was
 * spent between and after them. If the clock is set back over midnight, the earlier of the two periods is used.
 */
export class PeriodSums {
  /** The number of the latest period with a charge. */
  latest: number;
  latestNanos: Nanos;
  /** The previous period with a charge. Earlier periods are unknown here. */
  #previous: number;
  #previousNanos: Nanos;

  /** Continues after the two latest periods: earlier periods are unknown. */
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

  /** Undefined if the sum is unknown here. */
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
