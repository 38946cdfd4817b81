import { drainMicrotasks } from "bun:jsc";

/** The timers of the process while a history runs: only the history fires them, and nothing takes time. */
export class ManualTimers {
  readonly #real = { setImmediate, setTimeout, clearTimeout, setInterval, clearInterval };
  readonly #timeouts = new Map<number, () => void>();
  readonly #intervals = new Map<number, () => void>();
  #immediates: (() => void)[] = [];
  #lastId = 0;

  install(): void {
    const put =
      (timers: Map<number, () => void>) =>
      (callback: () => void): number => {
        timers.set(++this.#lastId, callback);
        return this.#lastId;
      };
    Object.assign(globalThis, {
      setImmediate: (callback: () => void) => this.#immediates.push(callback),
      setTimeout: put(this.#timeouts),
      clearTimeout: (id: number) => this.#timeouts.delete(id),
      setInterval: put(this.#intervals),
      clearInterval: (id: number) => this.#intervals.delete(id),
    });
  }

  uninstall(): void {
    this.clear();
    Object.assign(globalThis, this.#real);
  }

  get timeouts(): number {
    return this.#timeouts.size;
  }

  get intervals(): number {
    return this.#intervals.size;
  }

  fireImmediates(): void {
    const due = this.#immediates;
    this.#immediates = [];
    for (const callback of due) callback();
    drainMicrotasks();
  }

  fireTimeouts(): void {
    const due = [...this.#timeouts];
    for (const [id, callback] of due) if (this.#timeouts.delete(id)) callback();
    drainMicrotasks();
  }

  fireIntervals(): void {
    for (const callback of this.#intervals.values()) callback();
    drainMicrotasks();
  }

  /** The process has ended, and its timers with it. */
  clear(): void {
    this.#immediates = [];
    this.#timeouts.clear();
    this.#intervals.clear();
  }
}
