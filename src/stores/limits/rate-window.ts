/** An amount counted in a window. It can be corrected while it counts. An amount corrected to 0 no longer counts. */
export interface CountedAmount {
  readonly window: RateWindow;
  /** The number of its moment at the time it was counted, since the window was created. Moments that are inserted later shift it. */
  readonly moment: number;
  readonly atMs: number;
  amount: number;
  isCounted: boolean;
  /** The amount of the same request in another window. A list in the amounts needs no array. */
  next: CountedAmount | undefined;
}

/**
 * Far above every possible limit, so a larger amount makes no difference, and thousands of them still add up exactly. A sum that was
 * rounded because of one huge amount would never return to zero.
 */
const MAX_AMOUNT = 1e12;

/** The fields of a moment, by offset: its time, the amount, and the number of its requests that count. */
const AT = 0;
const AMOUNT = 1;
const COUNTED = 2;
const FIELDS = 3;

const INITIAL_LENGTH = 4 * FIELDS;

/**
 * A sliding window, such as of a minute. A window of fixed minutes would admit twice the limit around its boundary, and a leaky bucket nearly
 * as much. Times are rounded up to a step; with a step of a millisecond the window is exact.
 */
export class RateWindow {
  readonly #windowMs: number;
  readonly #stepMs: number;
  /**
   * Amounts of the same millisecond expire together, so they are summed in one moment. A busy minute still has 60,000 moments: as objects
   * they would be half of the objects that the garbage collector traverses.
   */
  #moments = new Float64Array(INITIAL_LENGTH);
  /** Moments before this one have expired. */
  #first = 0;
  #end = 0;
  /** The number of moments that were removed before the present ones. */
  #removed = 0;
  #sum = 0;
  /** Whether moments were inserted: then later moments no longer have the numbers in `CountedAmount`. */
  #isShifted = false;

  constructor({ windowMs, stepMs }: { readonly windowMs: number; readonly stepMs: number }) {
    this.#windowMs = windowMs;
    this.#stepMs = stepMs;
  }

  /** The time at which an amount of that time is counted. */
  momentOf(atMs: number): number {
    return this.#stepMs === 1 ? atMs : Math.ceil(atMs / this.#stepMs) * this.#stepMs;
  }

  /** The remainder of the limit. Below zero if corrections exceeded it. */
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

  /** The time until the amount fits; 0 if it fits now. An amount above the limit fits into an empty window. */
  waitMs(amount: number, limit: number, nowMs: number): number {
    let missing = Math.min(amount, limit) - this.room(limit, nowMs);
    for (let moment = this.#first; missing > 0 && moment < this.#end; moment += FIELDS) {
      missing -= this.#moments[moment + AMOUNT]!;
      if (missing <= 0) return this.#moments[moment + AT]! + this.#windowMs - nowMs;
    }
    return 0;
  }

  take(wanted: number, nowMs: number): CountedAmount {
    const amount = Math.min(wanted, MAX_AMOUNT);
    // Also done here, because `room` is not called for a window without a limit.
    this.#expire(nowMs);
    const moment = this.#momentAt(this.momentOf(nowMs));
    this.#add(moment, amount);
    this.#moments[moment + COUNTED]! += 1;
    return this.#taken(this.#removed + moment / FIELDS, this.#moments[moment + AT]!, amount, true);
  }

  /** Counts amounts of earlier times, in one pass. Expired amounts are ignored. */
  insert(amounts: readonly (readonly [atMs: number, amount: number])[], nowMs: number): CountedAmount[] {
    this.#expire(nowMs);
    const moments = amounts.map(([atMs, amount]): [number, number] => [this.momentOf(atMs), Math.min(amount, MAX_AMOUNT)]);
    const counting = moments.filter(([atMs]) => atMs > nowMs - this.#windowMs);
    const inOrder = counting.toSorted(([a], [b]) => a - b);
    this.#isShifted = true;
    const known = this.#moments.slice(this.#first, this.#end);
    this.#removed += this.#first / FIELDS;
    this.#moments = new Float64Array(Math.max(INITIAL_LENGTH, known.length + inOrder.length * FIELDS));
    [this.#first, this.#end] = [0, 0];
    let next = 0;
    for (const [atMs, amount] of inOrder) {
      for (; next < known.length && known[next + AT]! <= atMs; next += FIELDS) this.#append(known, next);
      const moment = this.#momentAt(atMs);
      this.#add(moment, amount);
      this.#moments[moment + COUNTED]! += 1;
    }
    for (; next < known.length; next += FIELDS) this.#append(known, next);
    return moments.map(([atMs, amount]) => this.#taken(0, atMs, amount, atMs > nowMs - this.#windowMs));
  }

  /**
   * The moments of the window, for `load`. If there are more than `maxMoments`, the window is divided into equal parts, and the moments of
   * each part are summed in its last moment, so that amounts count a little longer.
   */
  save(nowMs: number, maxMoments: number): number[] {
    this.#expire(nowMs);
    const moments = [...this.#moments.subarray(this.#first, this.#end)];
    if (moments.length <= maxMoments * FIELDS) return moments;
    const partOf = (moment: number): number => Math.floor((moments[moment + AT]! * maxMoments) / this.#windowMs);
    const sums: number[] = [];
    for (let moment = 0; moment < moments.length; moment += FIELDS) {
      const isSame = moment > 0 && partOf(moment) === partOf(moment - FIELDS);
      const [, amount, counted] = isSame ? sums.splice(-FIELDS) : [0, 0, 0];
      sums.push(moments[moment + AT]!, moments[moment + AMOUNT]! + amount!, moments[moment + COUNTED]! + counted!);
    }
    return sums;
  }

  /** Replaces all counted amounts with the saved ones. */
  load(saved: readonly number[]): void {
    this.#moments = new Float64Array(Math.max(INITIAL_LENGTH, saved.length));
    this.#moments.set(saved);
    [this.#first, this.#end, this.#removed, this.#sum, this.#isShifted] = [0, saved.length, 0, 0, true];
    for (let moment = 0; moment < saved.length; moment += FIELDS) this.#sum += saved[moment + AMOUNT]!;
  }

  /** An amount that was counted at that time, in this window or before it was saved. */
  takenAt(atMs: number, amount: number, nowMs: number): CountedAmount {
    this.#expire(nowMs);
    const moment = this.#firstSince(this.momentOf(atMs));
    const isCounted = this.momentOf(atMs) > nowMs - this.#windowMs && moment < this.#end;
    return this.#taken(this.#removed + moment / FIELDS, isCounted ? this.#moments[moment + AT]! : atMs, amount, isCounted);
  }

  /** Replaces an estimated amount with the actual one. */
  correct(taken: CountedAmount, amount: number): void {
    const moment = taken.isCounted ? this.#find(taken) : undefined;
    if (moment === undefined) return;
    this.#add(moment, amount - taken.amount);
    taken.amount = amount;
    if (amount > 0) return;
    taken.isCounted = false;
    this.#moments[moment + COUNTED]! -= 1;
    while (this.#end > this.#first && this.#moments[this.#end - FIELDS + COUNTED] === 0) this.#end -= FIELDS;
  }

  /** How long until the window is empty. */
  resetMs(nowMs: number): number {
    return this.isEmpty(nowMs) ? 0 : Math.max(0, this.#lastMs + this.#windowMs - nowMs);
  }

  isEmpty(nowMs: number): boolean {
    this.#expire(nowMs);
    return this.#end === this.#first;
  }

  #taken(moment: number, atMs: number, amount: number, isCounted: boolean): CountedAmount {
    return { window: this, moment, atMs, amount, isCounted, next: undefined };
  }

  get #lastMs(): number {
    return this.#moments[this.#end - FIELDS + AT]!;
  }

  #add(moment: number, amount: number): void {
    this.#moments[moment + AMOUNT]! += amount;
    this.#sum += amount;
  }

  /** The position of the amount's moment, unless it has expired. */
  #find({ moment: number, atMs }: CountedAmount): number | undefined {
    const moment = (number - this.#removed) * FIELDS;
    if (!this.#isShifted) return moment < this.#first ? undefined : moment;
    const found = this.#firstSince(atMs);
    return found < this.#end && this.#moments[found + AT] === atMs ? found : undefined;
  }

  /** The first moment at or after that time. */
  #firstSince(atMs: number): number {
    let [from, to] = [this.#first / FIELDS, this.#end / FIELDS];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#moments[middle * FIELDS + AT]! < atMs) from = middle + 1;
      else to = middle;
    }
    return from * FIELDS;
  }

  #append(moments: Float64Array, from: number): void {
    this.#moments.set(moments.subarray(from, from + FIELDS), this.#end);
    this.#end += FIELDS;
  }

  /** The last moment, even if time goes back, as it may in the history that a preview replays: moments expire from the front. */
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
    for (; this.#first < this.#end && this.#moments[this.#first + AT]! <= nowMs - this.#windowMs; this.#first += FIELDS) {
      this.#sum -= this.#moments[this.#first + AMOUNT]!;
    }
    // Compacts rarely, so that expiry costs one step for each moment, and memory stays in proportion to the moments that count.
    if (this.#first > 32 * FIELDS && this.#first * 2 > this.#end) this.#compact();
  }

  /** Removes expired moments, and allocates space for as many moments again as are left. */
  #compact(): void {
    const counting = this.#moments.subarray(this.#first, this.#end);
    this.#moments = new Float64Array(Math.max(INITIAL_LENGTH, counting.length * 2));
    this.#moments.set(counting);
    this.#removed += this.#first / FIELDS;
    this.#first = 0;
    this.#end = counting.length;
  }
}
