import { setImmediate as nextTurn } from "node:timers/promises";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { CallerGone } from "../../../lib/async/caller-gone.ts";

/** How long a report works before it yields. The event loop is blocked during this time. */
const TURN_MS = 4;

/** Divides long work into time slices, between which requests are served. */
export class TimeSlicer {
  readonly #signal: CancelSignal | undefined;
  #started = performance.now();

  constructor(signal?: CancelSignal) {
    this.#signal = signal;
  }

  /** Whether it is time to yield. Cheaper than awaiting `yieldIfDue` after each small piece of work. */
  get isOver(): boolean {
    return performance.now() - this.#started > TURN_MS;
  }

  /** Yields if the turn has lasted long. Throws `CallerGone` when the signal is aborted. */
  async yieldIfDue(): Promise<void> {
    if (this.isOver) await this.yield();
  }

  async yield(): Promise<void> {
    await nextTurn();
    if (this.#signal?.aborted) throw new CallerGone();
    this.#started = performance.now();
  }
}
