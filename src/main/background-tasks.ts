import type { BackgroundTask } from "../lib/async/background-task.ts";
import type { RequestObserver } from "../requests/request-notes.ts";

/** The time limit of a slice: one or two tenths of a millisecond, during which nothing else can run. */
const ITEMS_AT_ONCE = 16;

/**
 * Background tasks: runs one slice of one task right after each response, while its client is busy with it. Running all queued work
 * together, or everything that a timer had accumulated, delayed one request in fifty. Without traffic the tasks run on their own timers.
 */
export class BackgroundTasks {
  readonly #tasks: readonly BackgroundTask[];
  /** The number of responses in this turn of the event loop, since there is background work. */
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

  /** With many responses per turn there is always a waiting client, and one large slice costs less than several small ones. */
  #use(items: number): void {
    const [largest] = this.#tasks.toSorted((one, other) => other.waiting - one.waiting);
    if (largest && largest.waiting >= items) largest.runSlice(items);
  }
}

function isWorthwhile(task: BackgroundTask): boolean {
  return task.waiting >= ITEMS_AT_ONCE;
}
