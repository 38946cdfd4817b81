import type { Entry, HoldEntry } from "../../../money/ledger-entry.ts";
import { breakdownIn, countedPurses, type Breakdown } from "../../../money/breakdown.ts";
import type { Nanos } from "../../../money/money.ts";
import { type Purse, purseKey, type PurseKey, type PurseScope } from "../../../money/purse.ts";
import { Tally, type Spending } from "../../../money/tally.ts";
import { CountedBreakdowns } from "./counted-breakdowns.ts";

/** The sums of one end user, or of one value of a tag. */
export type BreakdownTally = Tally<PurseScope>;

/** The sums of end users and tags in the database. */
export interface StoredBreakdowns {
  /** As of the last write of the tallies. Undefined where nothing was charged then. */
  find(purse: Purse): BreakdownTally | undefined;
  /** Adds up all charges of a breakdown in the day and the month of this time, also those that are not in the database yet. */
  addUp(breakdown: Breakdown, nowMs: number): Iterable<BreakdownTally>;
}

/**
 * The tallies of end users and tags. In memory are those that a request holds of, or that have changed since the tallies were last written: end
 * users that are idle cost no memory. The first look at a purse of a breakdown adds up what was spent in its day and month before.
 */
export class BreakdownTallies {
  readonly counted: CountedBreakdowns;
  /** Whether `counted` has changed since the tallies were last written. */
  isChanged = false;
  readonly #tallies = new Map<PurseKey, BreakdownTally>();
  readonly #stored: StoredBreakdowns | undefined;

  /** `stored`: undefined where all tallies are loaded. */
  constructor(stored?: StoredBreakdowns, counted = new CountedBreakdowns()) {
    this.#stored = stored;
    this.counted = counted;
  }

  /** The number of tallies in memory. */
  get size(): number {
    return this.#tallies.size;
  }

  all(): Iterable<BreakdownTally> {
    return this.#tallies.values();
  }

  load(tally: BreakdownTally): void {
    this.#tallies.set(purseKey(tally), tally);
  }

  /** A tally that is in memory. */
  get(purse: Purse): BreakdownTally | undefined {
    return this.#tallies.get(purseKey(purse));
  }

  addHeld(hold: HoldEntry, nanos: Nanos): void {
    for (const purse of countedPurses(hold)) this.#tally(purse).heldNanos += nanos;
  }

  /** Adds a charge, and returns the tallies that have changed. */
  charge(entry: Extract<Entry, { kind: "settle" }>): readonly BreakdownTally[] {
    const purses = this.counted.pursesOf(entry);
    if (purses.length === 0) return [];
    const tallies = purses.map((purse) => this.#tally(purse));
    for (const tally of tallies) tally.spend(entry.amountNanos, entry.atMs);
    return tallies;
  }

  /**
   * The spending of an end user or a tag. Adds up its breakdown where that is not counted yet, and calls `changed` with the sums. Nothing is known
   * of days and months before the latest, so after the clock was set back to one of them, nothing counts.
   */
  spendingAt(purse: Purse, nowMs: number, changed: (tally: BreakdownTally) => void): Spending {
    if (this.#stored && !this.counted.has(purse)) this.#start(breakdownIn(purse), nowMs, this.#stored, changed);
    const tally = this.get(purse) ?? this.#stored?.find(purse);
    return (tally ?? new Tally(purse.scope, purse.id)).spendingAt(nowMs);
  }

  /** Counts no more of the breakdowns without a spend cap. */
  retain(isCapped: (breakdown: Breakdown) => boolean): void {
    for (const breakdown of this.counted.all()) {
      if (isCapped(breakdown)) continue;
      this.counted.delete(breakdown);
      this.isChanged = true;
    }
  }

  /** Every tally was written: forgets those that no request holds of. */
  written(): void {
    this.isChanged = false;
    for (const [key, { heldNanos }] of this.#tallies) if (heldNanos === 0n) this.#tallies.delete(key);
  }

  #start(breakdown: Breakdown, nowMs: number, stored: StoredBreakdowns, changed: (tally: BreakdownTally) => void): void {
    for (const tally of stored.addUp(breakdown, nowMs)) {
      // Requests may hold of it since it was counted before.
      tally.heldNanos = this.get(tally)?.heldNanos ?? 0n;
      this.load(tally);
      changed(tally);
    }
    this.counted.add(breakdown);
    this.isChanged = true;
  }

  #tally(purse: Purse): BreakdownTally {
    let tally = this.get(purse);
    if (!tally) this.load((tally = this.#find(purse) ?? new Tally(purse.scope, purse.id)));
    return tally;
  }

  /** What is stored of a breakdown that is not counted is out of date. */
  #find(purse: Purse): BreakdownTally | undefined {
    return this.counted.has(purse) ? this.#stored?.find(purse) : undefined;
  }
}
