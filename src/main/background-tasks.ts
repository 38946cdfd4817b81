import type { BackgroundTask } from "../lib/async/background-task.ts";
import type { RequestObserver } from "../requests/request-notes.ts";

/** The maximum number of items per slice. A slice blocks the event loop for 0.1 to 0.2 ms. */
const ITEMS_AT_ONCE = 16;

/**
 * Background tasks: runs one slice of one task right after each response, while the client processes that response. If all queued work ran
 * at once, or all work that had accumulated until a timer fired, one request in fifty was delayed. Without traffic, the tasks run on their
 * own timers.
 */
export class BackgroundTasks {
  readonly #tasks: readonly BackgroundTask[];
  /** The number of responses in this turn of the event loop since there has been background work. */
  #answers = 0;

  constructor(tasks: readonly BackgroundTask[]) {
    this.#tasks = tasks;
  }

  readonly observe: RequestObserver = () => {
    if (this.#answers > 0) this.#answers++;
    else if (this.#tasks.some(isWorthwhile)) this.#begin();
  };

  #begin(): void {
    this.#answers = 1;
    setImmediate(() => {
      this.#use(ITEMS_AT_ONCE * this.#answers);
      this.#answers = 0;
    });
  }

  /** With many responses per turn, some client is always waiting, and one large slice costs less than several small ones. */
  #use(items: number): void {
    const [largest] = this.#tasks.toSorted((one, other) => other.waiting - one.waiting);
    if (largest && largest.waiting >= items) largest.runSlice(items);
  }
}

function isWorthwhile(task: BackgroundTask): boolean {
  return task.waiting >= ITEMS_AT_ONCE;
}
