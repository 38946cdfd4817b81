/** One slot for each millisecond: the longest delay. */
const SLOTS = 32_768;

/** A timer wheel: entries due at a millisecond, with one timer for all of them. */
export class TimerWheel<T> {
  static readonly maxMs = SLOTS - 1000;

  readonly #slots: T[][] = Array.from({ length: SLOTS }, () => []);
  readonly #onDue: (entry: T) => void;
  readonly #start = Bun.nanoseconds();
  #timer: Timer | undefined;
  #cursor = 0;
  #size = 0;
  #spare: T[] = [];

  constructor(onDue: (entry: T) => void) {
    this.#onDue = onDue;
  }

  /** Milliseconds since the start. */
  now(): number {
    return (Bun.nanoseconds() - this.#start) / 1e6;
  }

  /** Never early: at the first tick after `due`. */
  add(entry: T, due: number): void {
    if (this.#timer === undefined) this.#wake();
    const slot = Math.max(Math.ceil(due), this.#cursor + 1);
    this.#slots[slot % SLOTS]!.push(entry);
    this.#size++;
  }

  #wake(): void {
    this.#cursor = Math.floor(this.now());
    this.#timer = setInterval(() => this.#tick(), 1);
  }

  #tick(): void {
    for (const now = Math.floor(this.now()); this.#cursor < now;) this.#empty(++this.#cursor);
    if (this.#size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #empty(slot: number): void {
    const entries = this.#slots[slot % SLOTS]!;
    if (entries.length === 0) return;
    this.#slots[slot % SLOTS] = this.#spare;
    this.#size -= entries.length;
    for (const entry of entries) this.#onDue(entry);
    entries.length = 0;
    this.#spare = entries;
  }
}
