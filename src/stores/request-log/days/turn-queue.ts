import { setImmediate as nextTurn } from "node:timers/promises";

/** Lets whoever reads a lot take turns: of all of them together one slice is read in a turn of the event loop, and then requests come. */
export class TurnQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the asker's turn. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}
