/** Put in order at once: as few as are soon sorted, and as many as need not be sorted often. */
const SORTED_AT_ONCE = 1000;

/** The first few of very many, by an order: to sort all of them would keep everything else waiting. Of equals, who came first is first. */
export class TopN<T> {
  readonly #count: number;
  readonly #compare: (one: T, other: T) => number;
  #kept: T[] = [];
  #last: T | undefined;

  constructor(count: number, compare: (one: T, other: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  add(item: T): void {
    if (this.#last !== undefined && this.#compare(item, this.#last) >= 0) return;
    this.#kept.push(item);
    if (this.#kept.length >= this.#count + SORTED_AT_ONCE) {
      this.#kept = this.inOrder();
      this.#last = this.#kept.at(-1);
    }
  }

  inOrder(): T[] {
    return this.#kept.toSorted(this.#compare).slice(0, this.#count);
  }
}
