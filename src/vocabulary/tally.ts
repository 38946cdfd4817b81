import type { Nanos } from "./money.ts";

/** Whose spending is counted. */
export type Spender = "account" | "key";

/** What an account or a key has spent, by the calendar in UTC. */
export interface Spending {
  readonly heldNanos: Nanos;
  readonly dayNanos: Nanos;
  readonly monthNanos: Nanos;
  readonly totalNanos: Nanos;
}

/** What the entries of one account, or of one key, come to. */
export class Tally {
  readonly scope: Spender;
  readonly id: string;
  creditNanos: Nanos = 0n;
  heldNanos: Nanos = 0n;
  /** Days since 1970 and months since year 0, in UTC, that the two sums behind them are of. */
  day = 0;
  dayNanos: Nanos = 0n;
  month = 0;
  monthNanos: Nanos = 0n;
  totalNanos: Nanos = 0n;

  constructor(scope: Spender, id: string) {
    this.scope = scope;
    this.id = id;
  }

  spend(amount: Nanos, atMs: number): void {
    this.#turnTo(atMs);
    this.dayNanos += amount;
    this.monthNanos += amount;
    this.totalNanos += amount;
  }

  spendingAt(nowMs: number): Spending {
    this.#turnTo(nowMs);
    const { heldNanos, dayNanos, monthNanos, totalNanos } = this;
    return { heldNanos, dayNanos, monthNanos, totalNanos };
  }

  /**
   * A clock that is set back over midnight does not bring a day's spending back to zero twice; one that was wrong by more, and is
   * right again, begins anew.
   */
  #turnTo(nowMs: number): void {
    const day = Math.floor(nowMs / 86_400_000);
    if (day === this.day || day === this.day - 1) return;
    this.day = day;
    this.dayNanos = 0n;
    const date = new Date(nowMs);
    const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
    if (month === this.month) return;
    this.month = month;
    this.monthNanos = 0n;
  }
}
