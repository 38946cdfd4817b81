import type { Database as SqliteFile } from "bun:sqlite";
import type { Progress } from "../ledger-store.ts";

const WRITE_EVERY_MS = 1000;

interface ProgressRow {
  request_id: string;
  cost_nanos: string;
  says: string;
}

/**
 * Writes down about once a second what is known of the answers under way, for whoever has to clear up after a crash. Each time
 * it replaces all that was there, so nothing has to be taken out when an answer ends.
 */
export class ProgressWriter {
  readonly #file: SqliteFile;
  readonly #watched = new Map<string, () => Progress | undefined>();
  readonly #timer: Timer;
  /** Whether anything is in the table, as far as one can know. */
  #hasRows = true;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#timer = setInterval(() => this.#write(), WRITE_EVERY_MS);
  }

  watch(requestId: string, progress: () => Progress | undefined): void {
    this.#watched.set(requestId, progress);
  }

  forget(requestId: string): void {
    this.#watched.delete(requestId);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** What the process before this one wrote last. */
  leftBehind(): ReadonlyMap<string, Progress> {
    const sql = "select request_id, cast(cost_nanos as text) as cost_nanos, says from progress";
    const rows = this.#file.query<ProgressRow, []>(sql).all();
    return new Map(rows.map((row) => [row.request_id, fromRow(row)]));
  }

  #write(): void {
    if (this.#watched.size === 0 && !this.#hasRows) return;
    this.#hasRows = true;
    try {
      this.#file.transaction(() => this.#replaceAll())();
      this.#hasRows = this.#watched.size > 0;
    } catch {
      // What cannot be written now is out of date in a second anyway.
    }
  }

  #replaceAll(): void {
    this.#file.query("delete from progress").run();
    const insert = this.#file.query("insert into progress (request_id, cost_nanos, says) values (?, ?, ?)");
    for (const [requestId, look] of this.#watched) {
      const progress = look();
      if (!progress) continue;
      const { costNanos, ...says } = progress;
      insert.run(requestId, costNanos, JSON.stringify(says));
    }
  }
}

function fromRow({ cost_nanos: costNanos, says }: ProgressRow): Progress {
  return { ...(JSON.parse(says) as Omit<Progress, "costNanos">), costNanos: BigInt(costNanos) };
}
