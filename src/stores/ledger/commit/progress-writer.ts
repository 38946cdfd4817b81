import type { Database as SqliteFile } from "bun:sqlite";
import type { Progress } from "../ledger-store.ts";
import { fromProgressFields, toProgressFields, type ProgressFields } from "../progress-fields.ts";

const WRITE_EVERY_MS = 1000;

interface ProgressRow {
  request_id: string;
  cost_nanos: string;
  says: string;
}

/**
 * Writes the progress of responses in flight to the database once a second, for crash recovery. Each write replaces all rows, so the end of
 * a response costs no write.
 */
export class ProgressWriter {
  readonly #file: SqliteFile;
  readonly #watched = new Map<string, () => Progress | undefined>();
  /** Progress of requests with an open hold, reported by other processes or written by the previous process. */
  readonly #reported: Map<string, Progress>;
  readonly #timer: Timer;
  /** Whether the table may have rows. */
  #hasRows = true;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#reported = this.#readPrevious();
    this.#timer = setInterval(() => this.#write(), WRITE_EVERY_MS);
  }

  watch(requestId: string, progress: () => Progress | undefined): void {
    this.#watched.set(requestId, progress);
  }

  /** The progress of a request that another process serves. */
  report(requestId: string, progress: Progress): void {
    this.#reported.set(requestId, progress);
  }

  get reported(): ReadonlyMap<string, Progress> {
    return this.#reported;
  }

  forget(requestId: string): void {
    this.#watched.delete(requestId);
    if (this.#reported.size > 0) this.#reported.delete(requestId);
  }

  /** Forgets reports of requests that have no open hold. */
  retain(isOpen: (requestId: string) => boolean): void {
    for (const requestId of this.#reported.keys()) if (!isOpen(requestId)) this.#reported.delete(requestId);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The last progress that the previous process wrote. */
  #readPrevious(): Map<string, Progress> {
    const sql = "select request_id, cast(cost_nanos as text) as cost_nanos, says from progress";
    const rows = this.#file.query<ProgressRow, []>(sql).all();
    return new Map(rows.map((row) => [row.request_id, fromRow(row)]));
  }

  #write(): void {
    const size = this.#watched.size + this.#reported.size;
    if (size === 0 && !this.#hasRows) return;
    this.#hasRows = true;
    try {
      this.#file.transaction(() => this.#replaceAll())();
      this.#hasRows = size > 0;
    } catch {
      // Skipped: the progress would be out of date in a second.
    }
  }

  #replaceAll(): void {
    this.#file.query("delete from progress").run();
    const insert = this.#file.query("insert into progress (request_id, cost_nanos, says) values (?, ?, ?)");
    const write = (requestId: string, progress: Progress): void =>
      void insert.run(requestId, progress.costNanos, JSON.stringify(toProgressFields(progress)));
    for (const [requestId, progress] of this.#reported) write(requestId, progress);
    for (const [requestId, read] of this.#watched) {
      const progress = read();
      if (progress) write(requestId, progress);
    }
  }
}

function fromRow({ cost_nanos: costNanos, says }: ProgressRow): Progress {
  return fromProgressFields(costNanos, JSON.parse(says) as ProgressFields);
}
