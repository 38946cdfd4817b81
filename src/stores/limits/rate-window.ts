/** An amount counted in a window. It can be corrected while it counts; one that was corrected to 0 no longer does. */
export interface Taken {
  /** The number of its moment, since the window was created. */
  readonly moment: number;
  amount: number;
  isCounted: boolean;
}

export const WINDOW_MS = 60_000;

/**
 * Far above every possible limit, so a larger amount makes no difference, and thousands of them still add up exactly. A sum that was rounded
 * because of one huge amount would never return to zero.
 */
const MAX_AMOUNT = 1e12;

/** The fields of a moment, by offset: its time, the amount, and how many requests of it count. */
const AT = 0;
const AMOUNT = 1;
const COUNTED = 2;
const FIELDS = 3;

const INITIAL_LENGTH = 4 * FIELDS;

/**
 * An exact sliding window: an amount counts for 60 seconds. A window of fixed minutes would admit twice the limit around its boundary, and a
 * leaky bucket nearly that.
 */
export class RateWindow {
  /**
   * Amounts of the same millisecond expire together, so they are summed in one moment. A busy minute still has 60,000 moments: as objects they
   * would be half of what the garbage collector traverses.
   */
  #moments = new Float64Array(INITIAL_LENGTH);
  /** Moments before this one have expired. */
  #first = 0;
  #end = 0;
  /** The number of moments that were removed before these. */
  #removed = 0;
  #sum = 0;

  /** What remains of the limit. Below zero where corrections exceeded it. */
  room(limit: number, nowMs: number): number {
    this.#expire(nowMs);
    return limit - this.#sum;
  }

  /** The sum of the amounts that count. */
  used(nowMs: number): number {
    this.#expire(nowMs);
    return this.#sum;
  }

  /** The amounts that count, by their times, oldest first. */
  *amounts(nowMs: number): Iterable<[atMs: number, amount: number]> {
    this.#expire(nowMs);
    for (let moment = this.#first; moment < this.#end; moment += FIELDS)
      yield [this.#moments[moment + AT]!, this.#moments[moment + AMOUNT]!];
  }

  /** How long until the amount fits; 0 where it fits now. An amount above the limit fits into an empty window. */
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
    // Here too, because `room` is not called for a window without a limit.
    this.#expire(nowMs);
    const moment = this.#momentAt(nowMs);
    this.#add(moment, amount);
    this.#moments[moment + COUNTED]! += 1;
    return { moment: this.#removed + moment / FIELDS, amount, isCounted: true };
  }

  /** Replaces an estimated amount with the actual one. */
  correct(taken: Taken, amount: number): void {
    const moment = (taken.moment - this.#removed) * FIELDS;
    if (!taken.isCounted || moment < this.#first) return;
    this.#add(moment, amount - taken.amount);
    taken.amount = amount;
    if (amount > 0) return;
    taken.isCounted = false;
    this.#moments[moment + COUNTED]! -= 1;
    while (this.#end > this.#first && this.#moments[this.#end - FIELDS + COUNTED] === 0) this.#end -= FIELDS;
  }

  /** How long until the window is empty. */
  resetMs(nowMs: number): number {
    return this.isEmpty(nowMs) ? 0 : Math.max(0, this.#lastMs + WINDOW_MS - nowMs);
  }

  isEmpty(nowMs: number): boolean {
    this.#expire(nowMs);
    return this.#end === this.#first;
  }

  get #lastMs(): number {
    return this.#moments[this.#end - FIELDS + AT]!;
  }

  #add(moment: number, amount: number): void {
    this.#moments[moment + AMOUNT]! += amount;
    this.#sum += amount;
  }

  /** The last moment, also where time goes back, as it may in the history that a preview replays: moments expire from the front. */
  #momentAt(nowMs: number): number {
    if (this.#end > this.#first && this.#lastMs >= nowMs) return this.#end - FIELDS;
    if (this.#end === this.#moments.length) this.#compact();
    const moment = this.#end;
    this.#moments[moment + AT] = nowMs;
    this.#moments[moment + AMOUNT] = 0;
    this.#moments[moment + COUNTED] = 0;
    this.#end += FIELDS;
    return moment;
  }

  #expire(nowMs: number): void {
    for (; this.#first < this.#end && this.#moments[this.#first + AT]! <= nowMs - WINDOW_MS; this.#first += FIELDS) {
      this.#sum -= this.#moments[this.#first + AMOUNT]!;
    }
    // Now and then, so that expiry costs one step for each moment, and memory stays in proportion to the moments that count.
    if (this.#first > 32 * FIELDS && this.#first * 2 > this.#end) this.#compact();
  }

  /** Removes expired moments, and allocates room for as many again as count. */
  #compact(): void {
    const counting = this.#moments.subarray(this.#first, this.#end);
    this.#moments = new Float64Array(Math.max(INITIAL_LENGTH, counting.length * 2));
    this.#moments.set(counting);
    this.#removed += this.#first / FIELDS;
    this.#first = 0;
    this.#end = counting.length;
  }
}
