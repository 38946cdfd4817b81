import { Worker } from "node:worker_threads";

/** A few thousand pages under load. More frequent checkpoints would copy more in total, because many commits write the same pages. */
const COMMITS_BETWEEN = 512;

/**
 * WAL checkpoints every 512 commits, in a separate thread. SQLite itself would checkpoint after a commit and wait for the disk, which
 * blocks the event loop for 10 ms. The thread is started on first use, because it takes 7 MB of memory.
 */
export class Checkpoint {
  readonly #path: string;
  #thread: Worker | undefined;
  #commits = 0;
  #running: PromiseWithResolvers<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * While a checkpoint runs, commits that can wait should wait: SQLite restarts the WAL from its beginning only if nothing was appended
   * meanwhile.
   */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Counts a commit, and starts a checkpoint if one is due. */
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
    // Without a thread, SQLite checkpoints by itself at 32 MB.
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
