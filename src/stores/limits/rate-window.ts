/** Something taken out of a window. Its amount can still be corrected while it counts; one that was corrected to 0 no longer does. */
export interface Taken {
  /** The how-manieth of its window's moments it was taken in. */
  readonly moment: number;
  amount: number;
  isCounted: boolean;
}

export const WINDOW_MS = 60_000;

/**
 * Far above every limit there can be, so what is beyond it makes no difference; and thousands of them still add up exactly. A sum
 * that was rounded when something huge was taken would never come back to zero.
 */
const MAX_AMOUNT = 1e12;

/** What is known of a moment, by its place behind the moment's own: the time, what was taken, and how many of the takings count. */
const AT = 0;
const AMOUNT = 1;
const COUNTED = 2;
const FIELDS = 3;

const FIRST_ROOM = 4 * FIELDS;

/**
 * The last minute, exactly: what was taken counts for 60 seconds and not a moment longer. A window of fixed minutes would let
 * twice the limit through around its border, a leaking bucket nearly that.
 */
export class RateWindow {
  /**
   * What was taken in one millisecond ceases to count at once, so it need not be told apart, and a busy minute is short. Still it has
   * 60,000 moments: as objects they would be half of what the collector has to go through.
   */
  #moments = new Float64Array(FIRST_ROOM);
  /** Those before this one no longer count. */
  #first = 0;
  #end = 0;
  /** How many there were before all of these. */
  #cleared = 0;
  #sum = 0;

  /** How much of the limit is left. Below zero where corrections went beyond it. */
  room(limit: number, nowMs: number): number {
    this.#forget(nowMs);
    return limit - this.#sum;
  }

  /** How long until so much fits; 0 where it fits now. More than the limit fits when the window is empty. */
  waitMs(amount: number, limit: number, nowMs: number): number {
    let missing = Math.min(amount, limit) - this.room(limit, nowMs);
    for (let moment = this.#first; missing > 0 && moment < this.#end; moment += FIELDS) {
      missing -= this.#moments[moment + AMOUNT]!;
      if (missing <= 0) return this.#moments[moment + AT]! + WINDOW_MS - nowMs;
    }
    return 0;
  }

  take(wanted: number, nowMs: number): Taken {
    const amount = Math.min(wanted, MAX_AMOUNT);
    // Here too, because nobody asks a window without a limit for room.
    this.#forget(nowMs);
    const moment = this.#momentAt(nowMs);
    this.#add(moment, amount);
    this.#moments[moment + COUNTED]! += 1;
    return { moment: this.#cleared + moment / FIELDS, amount, isCounted: true };
  }

  /** Puts the true amount in the place of the one that was taken. */
  correct(taken: Taken, amount: number): void {
    const moment = (taken.moment - this.#cleared) * FIELDS;
    if (!taken.isCounted || moment < this.#first) return;
    this.#add(moment, amount - taken.amount);
    taken.amount = amount;
    if (amount > 0) return;
    taken.isCounted = false;
    this.#moments[moment + COUNTED]! -= 1;
    while (this.#end > this.#first && this.#moments[this.#end - FIELDS + COUNTED] === 0) this.#end -= FIELDS;
  }

  /** How long until nothing counts any more. */
  resetMs(nowMs: number): number {
    return this.isEmpty(nowMs) ? 0 : Math.max(0, this.#lastMs + WINDOW_MS - nowMs);
  }

  isEmpty(nowMs: number): boolean {
    this.#forget(nowMs);
    return this.#end === this.#first;
  }

  get #lastMs(): number {
    return this.#moments[this.#end - FIELDS + AT]!;
  }

  #add(moment: number, amount: number): void {
    this.#moments[moment + AMOUNT]! += amount;
    this.#sum += amount;
  }

  /** The last one, also where times go back, as they may in the past that a preview plays: the front is where forgetting begins. */
  #momentAt(nowMs: number): number {
    if (this.#end > this.#first && this.#lastMs >= nowMs) return this.#end - FIELDS;
    if (this.#end === this.#moments.length) this.#clearUp();
    const moment = this.#end;
    this.#moments[moment + AT] = nowMs;
    this.#moments[moment + AMOUNT] = 0;
    this.#moments[moment + COUNTED] = 0;
    this.#end += FIELDS;
    return moment;
  }

  #forget(nowMs: number): void {
    for (; this.#first < this.#end && this.#moments[this.#first + AT]! <= nowMs - WINDOW_MS; this.#first += FIELDS) {
      this.#sum -= this.#moments[this.#first + AMOUNT]!;
    }
    // Now and then, so that forgetting costs one step for each moment and memory stays in proportion to what counts.
    if (this.#first > 32 * FIELDS && this.#first * 2 > this.#end) this.#clearUp();
  }

  /** Leaves out what no longer counts, and makes room for as much again as does. */
  #clearUp(): void {
    const counting = this.#moments.subarray(this.#first, this.#end);
    this.#moments = new Float64Array(Math.max(FIRST_ROOM, counting.length * 2));
    this.#moments.set(counting);
    this.#cleared += this.#first / FIELDS;
    this.#first = 0;
    this.#end = counting.length;
  }
}
