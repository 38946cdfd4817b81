import { setImmediate as nextTurn } from "node:timers/promises";
import { CallerGone } from "./caller-gone.ts";
import type { CancelSignal } from "./cancellation.ts";

/** How long the event loop is blocked by a slice. */
const SLICE_MS = 4;
const STEPS_BETWEEN_CHECKS = 64;

/** Divides long work into time slices, between which requests are served. */
export class TimeSlicer {
  readonly #signal: CancelSignal | undefined;
  #started = performance.now();
  #steps = 0;

  constructor(signal?: CancelSignal) {
    this.#signal = signal;
  }

  /** Whether it is time to yield. Cheaper than awaiting `yieldIfDue` after each small piece of work. */
  get isDue(): boolean {
    return performance.now() - this.#started > SLICE_MS;
  }

  /** The same after a step that takes less time than reading the clock, which only some of the calls do. */
  isDueAfterStep(): boolean {
    return ++this.#steps % STEPS_BETWEEN_CHECKS === 0 && this.isDue;
  }

  /** Yields if the slice has lasted long. Throws `CallerGone` when the signal is aborted. */
  async yieldIfDue(): Promise<void> {
    if (this.isDue) await this.yield();
  }

  async yield(): Promise<void> {
    await nextTurn();
    if (this.#signal?.aborted) throw new CallerGone();
    this.#started = performance.now();
  }
}
