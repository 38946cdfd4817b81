import { Histogram } from "./histogram.ts";

const EVERY_MS = 100;

/** Measures how late a timer fires. A long task delays everything in the process, including this timer. */
export class EventLoopLag {
  readonly family = new Histogram("tollgate_event_loop_lag_seconds");
  readonly #timer: Timer;

  constructor(now: () => number = () => performance.now()) {
    const lag = this.family.cell({});
    let dueAt = now() + EVERY_MS;
    this.#timer = setInterval(() => {
      const at = now();
      lag.observe(Math.max(0, at - dueAt) / 1000);
      dueAt = at + EVERY_MS;
    }, EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
