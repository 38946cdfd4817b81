import type { Database as SqliteFile } from "bun:sqlite";

const AT_MOST_EVERY_MS = 1000;

/**
 * Finds out whether the database can be written, for a ledger that has written nothing lately. It commits a row that is gone again: only a
 * write of pages shows that the disk takes them, and what is rolled back writes none. On a connection that waits neither for a lock nor for
 * the disk it takes about 0.05 ms, and holds the lock no longer.
 */
export class WriteProbe {
  readonly #file: SqliteFile;
  readonly #monotonicMs: () => number;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  #failure: string | undefined;

  constructor(file: SqliteFile, monotonicMs: () => number) {
    this.#file = file;
    this.#monotonicMs = monotonicMs;
  }

  /** Why the database cannot be written, if that is so; as of a second ago at most. */
  failure(): string | undefined {
    if (this.#monotonicMs() - this.#probedAtMs < AT_MOST_EVERY_MS) return this.#failure;
    this.#failure = this.#probe();
    this.#probedAtMs = this.#monotonicMs();
    return this.#failure;
  }

  #probe(): string | undefined {
    try {
      this.#file.transaction(() => this.#writeAndRemove()).immediate();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #writeAndRemove(): void {
    this.#file.query("insert into progress (request_id, cost_nanos, says) values ('probe', 0, '{}')").run();
    this.#file.query("delete from progress where request_id = 'probe'").run();
  }
}
