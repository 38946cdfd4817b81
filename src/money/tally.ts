import type { Nanos } from "./money.ts";
import { dayAt, monthAt, PeriodSums, type Period } from "./period-sums.ts";

/** The owner of a spend. */
export type Spender = "account" | "key";

/** The spend of an account or a key, per calendar day and month (UTC) and in total. */
export interface Spending {
  readonly heldNanos: Nanos;
  readonly dayNanos: Nanos;
  readonly monthNanos: Nanos;
  readonly totalNanos: Nanos;
}

/** The spend in periods for which a tally has no sums, because the clock was set back to a time before them. */
export interface EarlierSums<Scope extends string = Spender> {
  of(period: Period, number: number, spender: { readonly scope: Scope; readonly id: string }): Nanos;
}

/** The sums over the entries of one account or one key; with other scopes, of one end user or tag value. */
export class Tally<Scope extends string = Spender> {
  readonly scope: Scope;
  readonly id: string;
  creditNanos: Nanos = 0n;
  heldNanos: Nanos = 0n;
  readonly days: PeriodSums;
  /** The latest month is the month of the latest day. */
  readonly months: PeriodSums;
  totalNanos: Nanos = 0n;

  constructor(scope: Scope, id: string, days = new PeriodSums(), months = new PeriodSums()) {
    this.scope = scope;
    this.id = id;
    this.days = days;
    this.months = months;
  }

  spend(amount: Nanos, atMs: number): void {
    const day = dayAt(atMs);
    const month = this.#monthOf(day, atMs);
    this.days.add(day, amount);
    this.months.add(month, amount);
    this.totalNanos += amount;
  }

  spendingAt(nowMs: number, earlier?: EarlierSums<Scope>): Spending {
    const day = dayAt(nowMs);
    const month = this.#monthOf(day, nowMs);
    const { heldNanos, totalNanos } = this;
    const dayNanos = this.days.of(day) ?? earlier?.of("day", day, this) ?? 0n;
    const monthNanos = this.months.of(month) ?? earlier?.of("month", month, this) ?? 0n;
    return { heldNanos, dayNanos, monthNanos, totalNanos };
  }

  /** Avoids splitting the date, which takes longer than the rest of the update. */
  #monthOf(day: number, ms: number): number {
    return day === this.days.latest ? this.months.latest : monthAt(ms);
  }
}
