/** Something taken out of a window. Its amount can still be corrected while it counts; one that was corrected to 0 no longer does. */
export interface Taken {
  readonly atMs: number;
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
  #taken: Taken[] = [];
  /** The taken before this one no longer count. */
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
    for (let at = this.#first; missing > 0 && at < this.#taken.length; at++) {
      missing -= this.#taken[at]!.amount;
      if (missing <= 0) return this.#taken[at]!.atMs + WINDOW_MS - nowMs;
    }
    return 0;
  }

  take(wanted: number, nowMs: number): Taken {
    const amount = Math.min(wanted, MAX_AMOUNT);
    // Here too, because nobody asks a window without a limit for room.
    this.#forget(nowMs);
    // A clock that was set back must not put this before what is there: the front is where forgetting begins.
    const taken = { atMs: Math.max(nowMs, this.#taken.at(-1)?.atMs ?? nowMs), amount, isCounted: true };
    this.#taken.push(taken);
    this.#sum += amount;
    return taken;
  }

  /** Puts the true amount in the place of the one that was taken. */
  correct(taken: Taken, amount: number): void {
    if (!taken.isCounted) return;
    this.#sum += amount - taken.amount;
    taken.amount = amount;
    if (amount > 0) return;
    taken.isCounted = false;
    while (this.#taken.length > this.#first && !this.#taken.at(-1)!.isCounted) this.#taken.pop();
  }

  /** How long until nothing counts any more. */
  resetMs(nowMs: number): number {
    this.#forget(nowMs);
    const last = this.#taken.at(-1);
    return last ? Math.max(0, last.atMs + WINDOW_MS - nowMs) : 0;
  }

  #forget(nowMs: number): void {
    while (this.#first < this.#taken.length && this.#taken[this.#first]!.atMs <= nowMs - WINDOW_MS) {
      const taken = this.#taken[this.#first++]!;
      taken.isCounted = false;
      this.#sum -= taken.amount;
    }
    // Now and then, so that forgetting costs one step for each taken and memory stays in proportion to what counts.
    if (this.#first > 32 && this.#first * 2 > this.#taken.length) {
      this.#taken = this.#taken.slice(this.#first);
      this.#first = 0;
    }
  }
}
