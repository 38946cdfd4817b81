import type { Nanos } from "./money.ts";

/** Days or months of the calendar in UTC, by which spending is capped. */
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
 * What was spent in each day, or in each month, as far as that takes no memory: the two latest that have charges are known, and so is
 * that nothing was spent between and after them. A clock that is set back over midnight goes from one to the other.
 */
export class PeriodSums {
  /** The latest one with a charge, by its number. */
  latest: number;
  latestNanos: Nanos;
  /** The one before it. Of earlier ones nothing is known here. */
  #previous: number;
  #previousNanos: Nanos = 0n;

  /** Continues behind a period: of those before it nothing is known. */
  constructor(latest = 0, latestNanos: Nanos = 0n) {
    this.latest = latest;
    this.latestNanos = latestNanos;
    this.#previous = latest;
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
