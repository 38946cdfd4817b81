import type { Clock } from "../../src/upstreams/identities/refreshed-credentials.ts";

/** A clock that is controlled by a test. */
export class FakeClock implements Clock {
  #nowMs: number;
  #tasks: { readonly atMs: number; readonly task: () => void }[] = [];
  readonly random: () => number;

  constructor(nowMs = Date.parse("2026-01-01T00:00:00Z"), random: () => number = () => 0.5) {
    this.#nowMs = nowMs;
    this.random = random;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  later(task: () => void, ms: number): void {
    this.#tasks.push({ atMs: this.#nowMs + ms, task });
  }

  /** Runs everything that is due until then, each at its time. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await settled();
      const [next] = this.#tasks.toSorted((one, other) => one.atMs - other.atMs);
      if (!next || next.atMs > untilMs) break;
      this.#tasks = this.#tasks.filter((task) => task !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.task();
    }
    this.#nowMs = untilMs;
    await settled();
  }

  get pending(): number {
    return this.#tasks.length;
  }
}

/** Resolves when promises that wait for nothing else are settled. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
