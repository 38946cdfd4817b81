/** The number of items collected between two sorts. */
const BUFFERED = 1000;

/** The first n of very many items by a stable order, without sorting all items, which would block the event loop. */
export class TopN<T> {
  readonly #count: number;
  readonly #compare: (one: T, other: T) => number;
  #items: T[] = [];
  #last: T | undefined;

  constructor(count: number, compare: (one: T, other: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  add(item: T): void {
    if (this.#last !== undefined && this.#compare(item, this.#last) >= 0) return;
    this.#items.push(item);
    if (this.#items.length >= this.#count + BUFFERED) {
      this.#items = this.inOrder();
      this.#last = this.#items.at(-1);
    }
  }

  inOrder(): T[] {
    return this.#items.toSorted(this.#compare).slice(0, this.#count);
  }
}
