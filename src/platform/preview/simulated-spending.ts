import type { Attribution } from "../../money/attribution.ts";
import { dimensionsOf, partOf, purseOf } from "../../money/breakdown.ts";
import { capHeadrooms, fitsInto, fitsWhenIdle, hasCaps, tightestFirst } from "../../money/headroom.ts";
import { NO_CAPS, type Caps } from "../../money/limits.ts";
import type { Nanos } from "../../money/money.ts";
import { purseKey, type Purse, type PurseKey, type PurseScope } from "../../money/purse.ts";
import { Tally } from "../../money/tally.ts";
import type { Platform } from "../platform.ts";
import { priorSpend, priorSpendBy, type PreviewSubject } from "./prior-spend.ts";
import type { Refusal } from "./simulation.ts";

interface CappedTally {
  readonly tally: Tally<PurseScope>;
  readonly caps: Caps;
}

/** The spend of a key or an account, and of its end users and tags, compared with the spend caps and the credit line that a change sets. */
export class SimulatedSpending {
  readonly #who: PreviewSubject;
  readonly #caps: Caps;
  /** Whether the total spend is limited by the credit instead of a spend cap. */
  readonly #isTotalOfCredit: boolean;
  readonly #tallies: Map<PurseKey, Tally<PurseScope>>;

  private constructor(who: PreviewSubject, caps: Caps, isTotalOfCredit: boolean, tallies: Map<PurseKey, Tally<PurseScope>>) {
    this.#who = who;
    this.#caps = caps;
    this.#isTotalOfCredit = isTotalOfCredit;
    this.#tallies = tallies;
  }

  /**
   * Starts with the spend before this time. `creditNanos` is the total amount that the credit allows to be spent; undefined if it did not
   * change.
   */
  static async from(
    who: PreviewSubject,
    changedCaps: Caps,
    creditNanos: Nanos | undefined,
    atMs: number,
    platform: Platform,
  ): Promise<SimulatedSpending> {
    const { totalNanos } = changedCaps;
    const isTotalOfCredit = creditNanos !== undefined && (totalNanos === null || creditNanos <= totalNanos);
    const caps = isTotalOfCredit ? { ...changedCaps, totalNanos: creditNanos } : changedCaps;
    const own = hasCaps(caps) ? [await priorSpend(who, atMs, platform)] : [];
    const parts = await Promise.all(dimensionsOf(caps).map((by) => priorSpendBy(who, by, atMs, platform)));
    return new SimulatedSpending(who, caps, isTotalOfCredit, new Map([...own, ...parts.flat()].map((tally) => [purseKey(tally), tally])));
  }

  refusalOf(attribution: Attribution | undefined, heldNanos: Nanos, atMs: number): Refusal | undefined {
    const capped = this.#cappedOf(attribution);
    const headrooms = capped.flatMap(({ tally, caps }) => capHeadrooms(tally, caps, tally.spendingAt(atMs), atMs));
    const full = headrooms.toSorted(tightestFirst).find((headroom) => !fitsInto(headroom, heldNanos));
    if (!full || fitsWhenIdle(full, heldNanos)) return full && { code: "credits_in_flight", purse: full.purse! };
    const isOfCredit = this.#isTotalOfCredit && full.spendLimit!.what === "total";
    return { code: isOfCredit ? "insufficient_credits" : "budget_exceeded", purse: full.purse! };
  }

  hold(attribution: Attribution | undefined, nanos: Nanos): void {
    for (const { tally } of this.#cappedOf(attribution)) tally.heldNanos += nanos;
  }

  spend(attribution: Attribution | undefined, nanos: Nanos, atMs: number): void {
    for (const { tally } of this.#cappedOf(attribution)) tally.spend(nanos, atMs);
  }

  #cappedOf(attribution: Attribution | undefined): CappedTally[] {
    const { scope: owner, id: ownerId } = this.#who;
    const own = hasCaps(this.#caps) ? [{ tally: this.#tallyOf({ scope: owner, id: ownerId }), caps: this.#caps }] : [];
    const parts = dimensionsOf(this.#caps).map((by) => {
      const tally = this.#tallyOf(purseOf({ owner, ownerId, by }, attribution));
      return { tally, caps: { ...NO_CAPS, ...partOf(this.#caps, by) } };
    });
    return [...own, ...parts];
  }

  #tallyOf(purse: Purse): Tally<PurseScope> {
    const key = purseKey(purse);
    let tally = this.#tallies.get(key);
    if (!tally) this.#tallies.set(key, (tally = new Tally(purse.scope, purse.id)));
    return tally;
  }
}
