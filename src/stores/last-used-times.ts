const MINUTE_MS = 60_000;
const DELAY_MS = 1000;

/**
 * Writes down when things were last used: once a minute for each at most, later, and many at once. No request waits for the
 * disk because of it. What a crash loses is a second's worth.
 */
export class LastUsedTimes {
  readonly #write: (times: ReadonlyMap<string, number>) => Promise<void>;
  #unwritten = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(write: (times: ReadonlyMap<string, number>) => Promise<void>) {
    this.#write = write;
  }

  /** Whether a use now is worth noticing, after one at `lastMs`. */
  static isNews(lastMs: number | null, nowMs: number): boolean {
    // Also where the last one was by a clock that was ahead.
    return lastMs === null || Math.abs(nowMs - lastMs) >= MINUTE_MS;
  }

  note(id: string, atMs: number): void {
    this.#unwritten.set(id, atMs);
    this.#timer ??= setTimeout(() => void this.flush(), DELAY_MS).unref();
  }

  /** Writes what is to be written. What cannot be is tried again with what comes next. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const times = this.#unwritten;
    if (times.size === 0) return;
    this.#unwritten = new Map();
    try {
      await this.#write(times);
    } catch {
      this.#unwritten = new Map([...times, ...this.#unwritten]);
    }
  }
}
