import type { Database as SqliteFile } from "bun:sqlite";
import { messageOf } from "../../../lib/text/message-of.ts";

const MIN_INTERVAL_MS = 1000;

/**
 * Write probe: checks whether the database is writable while the ledger is idle. It inserts and deletes a row in one transaction, and
 * commits: only a commit writes pages to the disk, a rollback would not. On a connection that waits neither for a lock nor for the disk, it
 * takes and holds the lock for about 0.05 ms.
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

  /** Why the database cannot be written, or undefined if it can. At most one second old. */
  failure(): string | undefined {
    if (this.#monotonicMs() - this.#probedAtMs < MIN_INTERVAL_MS) return this.#failure;
    this.#failure = this.#probe();
    this.#probedAtMs = this.#monotonicMs();
    return this.#failure;
  }

  #probe(): string | undefined {
    try {
      this.#file.transaction(() => this.#writeAndRemove()).immediate();
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  #writeAndRemove(): void {
    this.#file.query("insert into progress (request_id, cost_nanos, says) values ('probe', 0, '{}')").run();
    this.#file.query("delete from progress where request_id = 'probe'").run();
  }
}
