const MINUTE_MS = 60_000;
const DELAY_MS = 1000;

/**
 * Last-used times of sessions and tokens, written in the background 1 s later, many in one transaction, and at most once a minute for each
 * session or token. No request waits for the disk. A crash loses up to one second of these times.
 */
export class LastUsedTimes {
  readonly #write: (times: ReadonlyMap<string, number>) => Promise<void>;
  #unwritten = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(write: (times: ReadonlyMap<string, number>) => Promise<void>) {
    this.#write = write;
  }

  /** Whether to record a use now, if the last recorded use was at `lastMs`. */
  static isNews(lastMs: number | null, nowMs: number): boolean {
    // The difference is absolute, because the clock may have been ahead at the last time.
    return lastMs === null || Math.abs(nowMs - lastMs) >= MINUTE_MS;
  }

  note(id: string, atMs: number): void {
    this.#unwritten.set(id, atMs);
    this.#timer ??= setTimeout(() => void this.flush(), DELAY_MS).unref();
  }

  /** Writes pending times. If that fails, they are written with the next ones. */
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
