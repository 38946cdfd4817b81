import { Worker } from "node:worker_threads";

/** Some thousand pages under load. Less would be copied oftener: many pages are the same ones again. */
const COMMITS_BETWEEN = 512;

/**
 * Has SQLite's log taken over into its file, in a thread of its own. SQLite does it behind a commit, and waits for the disk: nothing
 * would be answered for ten milliseconds. The thread is begun when there is something to do, because it takes 7 MB.
 */
export class Checkpoint {
  readonly #path: string;
  #thread: Worker | undefined;
  #commits = 0;
  #running: PromiseWithResolvers<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** While it is, whoever can wait should commit nothing: the log begins anew where nothing was added to it meanwhile. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Something was committed. */
  committed(): void {
    if (++this.#commits < COMMITS_BETWEEN || this.#running) return;
    this.#commits = 0;
    this.#running = Promise.withResolvers();
    this.#thread ??= this.#begin();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#thread.postMessage(this.#path);
  }

  async close(): Promise<void> {
    await this.#running?.promise;
    await this.#thread?.terminate();
  }

  #begin(): Worker {
    const thread = new Worker(new URL("./checkpoint-thread.ts", import.meta.url));
    thread.unref();
    thread.on("message", () => this.#end());
    // Where there can be no thread, SQLite takes its log over itself when it has become too long.
    thread.on("error", () => undefined);
    thread.on("exit", () => {
      this.#thread = undefined;
      this.#end();
    });
    return thread;
  }

  #end(): void {
    this.#running?.resolve();
    this.#running = undefined;
  }
}
