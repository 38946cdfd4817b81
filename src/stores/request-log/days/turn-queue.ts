import { setImmediate as nextTurn } from "node:timers/promises";

/** Makes long reads take turns: all of them together read one slice in a turn of the event loop, and then requests are served. */
export class TurnQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the turn of the caller. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}
