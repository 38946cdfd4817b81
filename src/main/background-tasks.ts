import type { BackgroundTask } from "../lib/async/background-task.ts";
import type { RequestObserver } from "../requests/request-notes.ts";

/** They take one or two tenths of a millisecond, in which nothing else can run. */
const ITEMS_AT_ONCE = 16;

/**
 * Has chores done right behind an answer, while whoever got it is busy with it. One piece of one chore: were all that wait done
 * together, or all that a timer has let gather, the next caller would wait for it, and that is what one request in fifty did. What
 * nobody comes after is done by timers of the chores' own.
 */
export class BackgroundTasks {
  readonly #chores: readonly BackgroundTask[];
  /** How many were answered in this turn of the event loop, since there is something to do behind them. */
  #answers = 0;

  constructor(chores: readonly BackgroundTask[]) {
    this.#chores = chores;
  }

  readonly observe: RequestObserver = () => {
    if (this.#answers > 0) this.#answers++;
    else if (this.#chores.some(isWorthwhile)) this.#begin();
  };

  #begin(): void {
    this.#answers = 1;
    setImmediate(() => {
      this.#use(ITEMS_AT_ONCE * this.#answers);
      this.#answers = 0;
    });
  }

  /** Where many are answered together somebody waits at any time, and one large piece costs less than several small ones. */
  #use(items: number): void {
    const [largest] = this.#chores.toSorted((one, other) => other.waiting - one.waiting);
    if (largest && largest.waiting >= items) largest.runSlice(items);
  }
}

function isWorthwhile(chore: BackgroundTask): boolean {
  return chore.waiting >= ITEMS_AT_ONCE;
}
