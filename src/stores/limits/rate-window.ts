/** What was taken in one millisecond. All of it ceases to count at once, so it need not be told apart, and a busy minute is short. */
interface Moment {
  readonly atMs: number;
  amount: number;
  /** How many of its takings count. None do when its minute is over. */
  counted: number;
}

/** Something taken out of a window. Its amount can still be corrected while it counts; one that was corrected to 0 no longer does. */
export interface Taken {
  readonly moment: Moment;
  amount: number;
  isCounted: boolean;
}

export const WINDOW_MS = 60_000;

/**
 * Far above every limit there can be, so what is beyond it makes no difference; and thousands of them still add up exactly. A sum
 * that was rounded when something huge was taken would never come back to zero.
 */
const MAX_AMOUNT = 1e12;

/**
 * The last minute, exactly: what was taken counts for 60 seconds and not a moment longer. A window of fixed minutes would let
 * twice the limit through around its border, a leaking bucket nearly that.
 */
export class RateWindow {
  #moments: Moment[] = [];
  /** Those before this one no longer count. */
  #first = 0;
  #sum = 0;

  /** How much of the limit is left. Below zero where corrections went beyond it. */
  room(limit: number, nowMs: number): number {
    this.#forget(nowMs);
    return limit - this.#sum;
  }

  /** How long until so much fits; 0 where it fits now. More than the limit fits when the window is empty. */
  waitMs(amount: number, limit: number, nowMs: number): number {
    let missing = Math.min(amount, limit) - this.room(limit, nowMs);
    for (let at = this.#first; missing > 0 && at < this.#moments.length; at++) {
      missing -= this.#moments[at]!.amount;
      if (missing <= 0) return this.#moments[at]!.atMs + WINDOW_MS - nowMs;
    }
    return 0;
  }

  take(wanted: number, nowMs: number): Taken {
    const amount = Math.min(wanted, MAX_AMOUNT);
    // Here too, because nobody asks a window without a limit for room.
    this.#forget(nowMs);
    const moment = this.#momentAt(nowMs);
    moment.amount += amount;
    moment.counted++;
    this.#sum += amount;
    return { moment, amount, isCounted: true };
  }

  /** Puts the true amount in the place of the one that was taken. */
  correct(taken: Taken, amount: number): void {
    const { moment } = taken;
    if (!taken.isCounted || moment.counted === 0) return;
    moment.amount += amount - taken.amount;
    this.#sum += amount - taken.amount;
    taken.amount = amount;
    if (amount > 0) return;
    taken.isCounted = false;
    moment.counted--;
    while (this.#moments.length > this.#first && this.#moments.at(-1)!.counted === 0) this.#moments.pop();
  }

  /** How long until nothing counts any more. */
  resetMs(nowMs: number): number {
    this.#forget(nowMs);
    const last = this.#moments.at(-1);
    return last ? Math.max(0, last.atMs + WINDOW_MS - nowMs) : 0;
  }

  /** The last one, also where the clock was set back since: the front is where forgetting begins. */
  #momentAt(nowMs: number): Moment {
    const last = this.#moments.at(-1);
    if (last && last.atMs >= nowMs) return last;
    const moment = { atMs: nowMs, amount: 0, counted: 0 };
    this.#moments.push(moment);
    return moment;
  }

  #forget(nowMs: number): void {
    while (this.#first < this.#moments.length && this.#moments[this.#first]!.atMs <= nowMs - WINDOW_MS) {
      const moment = this.#moments[this.#first++]!;
      moment.counted = 0;
      this.#sum -= moment.amount;
    }
    // Now and then, so that forgetting costs one step for each moment and memory stays in proportion to what counts.
    if (this.#first > 32 && this.#first * 2 > this.#moments.length) {
      this.#moments = this.#moments.slice(this.#first);
      this.#first = 0;
    }
  }
}
