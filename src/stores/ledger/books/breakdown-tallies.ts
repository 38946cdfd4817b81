import type { HoldEntry, SettleEntry } from "../../../money/ledger-entry.ts";
import { breakdownIn, breakdownKey, countedPurses, purseOf, type Breakdown } from "../../../money/breakdown.ts";
import type { Nanos } from "../../../money/money.ts";
import { type Purse, purseKey, type PurseKey, type PurseScope } from "../../../money/purse.ts";
import { Tally, type Spending } from "../../../money/tally.ts";
import { CountedBreakdowns } from "./counted-breakdowns.ts";

/** The sums of one end user, or of one value of a tag. */
export type BreakdownTally = Tally<PurseScope>;

/** The sums of end users and tags in the database. */
interface StoredBreakdowns {
  /** The tally at the last write of the tallies. Undefined if nothing had been charged then. */
  find(purse: Purse): BreakdownTally | undefined;
  /**
   * Adds up all charges of a breakdown until the call, in the current day and month, including charges that are not in the database yet,
   * and stores the sums. Other work runs meanwhile.
   */
  addUp(breakdown: Breakdown): Promise<ReadonlyMap<PurseKey, BreakdownTally>>;
}

/** A breakdown that is being added up. */
interface Counting {
  readonly breakdown: Breakdown;
  /** Its charges since the counting began. */
  readonly charges: SettleEntry[];
}

/**
 * The tallies of end users and tags. Only tallies that a request holds of, or that have changed since the last write, are in memory: idle
 * end users cost no memory. `ensureCounted` adds up the earlier spending of a breakdown in the current day and month.
 */
export class BreakdownTallies {
  readonly counted: CountedBreakdowns;
  /** Whether `counted` has changed since the tallies were last written. */
  isChanged = false;
  readonly #tallies = new Map<PurseKey, BreakdownTally>();
  readonly #stored: StoredBreakdowns | undefined;
  /** The breakdowns that requests wait for. */
  readonly #awaited = new Map<string, Promise<void>>();
  /** One count at a time: concurrent counts would take longer turns of the event loop. */
  #last: Promise<unknown> = Promise.resolve();
  #counting: Counting | undefined;

  /** `stored` is undefined if all tallies are loaded. */
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

  /** The tally of a purse, if it is in memory. */
  get(purse: Purse): BreakdownTally | undefined {
    return this.#tallies.get(purseKey(purse));
  }

  addHeld(hold: HoldEntry, nanos: Nanos): void {
    for (const purse of countedPurses(hold)) this.#tally(purse).heldNanos += nanos;
  }

  /** Whether no charge has to be added, which is nearly always the case. */
  get isIdle(): boolean {
    return this.counted.isEmpty && !this.#counting;
  }

  /** Adds a charge, and returns the tallies that have changed. */
  charge(entry: SettleEntry): readonly BreakdownTally[] {
    if (this.#counting && isChargeOf(this.#counting.breakdown, entry)) this.#counting.charges.push(entry);
    const purses = this.counted.pursesOf(entry);
    if (purses.length === 0) return [];
    const tallies = purses.map((purse) => this.#tally(purse));
    for (const tally of tallies) tally.spend(entry.amountNanos, entry.atMs);
    return tallies;
  }

  /**
   * The spending of an end user or a tag whose breakdown is counted. Days and months before the latest ones are not known, so after the
   * clock was set back to one of them, the spending is zero.
   */
  spendingAt(purse: Purse, nowMs: number): Spending {
    const tally = this.get(purse) ?? this.#find(purse);
    return (tally ?? new Tally(purse.scope, purse.id)).spendingAt(nowMs);
  }

  /**
   * Counts the breakdowns of these purses from now on, including their spending so far. Calls `changed` with the tallies that differ from
   * the stored ones. Undefined if all are already counted, which is nearly always the case.
   */
  ensureCounted(purses: readonly Purse[], changed: (tally: BreakdownTally) => void): Promise<void> | undefined {
    const uncounted = purses.filter((purse) => !this.counted.has(purse));
    if (uncounted.length === 0) return undefined;
    return Promise.all(uncounted.map((purse) => this.#count(breakdownIn(purse), changed))).then(() => undefined);
  }

  /** Stops counting the breakdowns without a spend cap. */
  retain(isCapped: (breakdown: Breakdown) => boolean): void {
    for (const breakdown of this.counted.all()) {
      if (isCapped(breakdown)) continue;
      this.counted.delete(breakdown);
      this.isChanged = true;
    }
  }

  /** Every tally was written: forgets tallies that no request holds of. */
  written(): void {
    this.isChanged = false;
    for (const [key, { heldNanos }] of this.#tallies) if (heldNanos === 0n) this.#tallies.delete(key);
  }

  #count(breakdown: Breakdown, changed: (tally: BreakdownTally) => void): Promise<void> {
    const key = breakdownKey(breakdown);
    const awaited = this.#awaited.get(key);
    if (awaited) return awaited;
    const counting = this.#last.then(() => this.#addUp(breakdown, changed)).finally(() => this.#awaited.delete(key));
    this.#awaited.set(key, counting);
    this.#last = counting.catch(() => undefined);
    return counting;
  }

  /** Every charge counts once: a charge from before this turn of the event loop is among the sums, a later charge among `charges`. */
  async #addUp(breakdown: Breakdown, changed: (tally: BreakdownTally) => void): Promise<void> {
    const charges: SettleEntry[] = [];
    this.#counting = { breakdown, charges };
    try {
      const sums = await this.#stored!.addUp(breakdown);
      this.#replace(breakdown, sums, changed);
      for (const { attribution, amountNanos, atMs } of charges) {
        const purse = purseOf(breakdown, attribution);
        const tally = this.get(purse) ?? sums.get(purseKey(purse)) ?? new Tally(purse.scope, purse.id);
        tally.spend(amountNanos, atMs);
        this.load(tally);
        changed(tally);
      }
    } finally {
      this.#counting = undefined;
    }
    this.counted.add(breakdown);
    this.isChanged = true;
  }

  /** Requests may hold of a tally that was counted in an earlier period of counting: this tally is in memory, without the charges since. */
  #replace(breakdown: Breakdown, sums: ReadonlyMap<PurseKey, BreakdownTally>, changed: (tally: BreakdownTally) => void): void {
    const prefix = breakdownKey(breakdown);
    for (const [key, { scope, id, heldNanos }] of this.#tallies) {
      if (!key.startsWith(prefix)) continue;
      const tally = Object.assign(sums.get(key) ?? new Tally(scope, id), { heldNanos });
      this.load(tally);
      changed(tally);
    }
  }

  #tally(purse: Purse): BreakdownTally {
    let tally = this.get(purse);
    if (!tally) this.load((tally = this.#find(purse) ?? new Tally(purse.scope, purse.id)));
    return tally;
  }

  /** The stored sums of a breakdown that is not counted are out of date, and are ignored. */
  #find(purse: Purse): BreakdownTally | undefined {
    return this.counted.has(purse) ? this.#stored?.find(purse) : undefined;
  }
}

function isChargeOf({ owner, ownerId }: Breakdown, charge: SettleEntry): boolean {
  return charge[`${owner}Id`] === ownerId;
}
