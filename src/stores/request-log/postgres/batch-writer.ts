import type { MirrorResult } from "../../../requests/mirror-result.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { ReadyBodies } from "../bodies/body-writer.ts";
import { addDays, dayIn } from "../log-day.ts";
import { POSTGRES, storable } from "../log-dialect.ts";
import { LogWriter, type LogWriterOptions } from "../log-writer.ts";
import { recordOf } from "../queued-request.ts";
import { uuidOf } from "../request-rows.ts";
import type { Retention } from "../retention.ts";
import { isInvalidData, isMissingTable, type LogPartitions } from "./log-partitions.ts";
import { RowBatch, writeBatch } from "./write-batch.ts";

/** A batch costs the database about as much as 100 rows, so few and large batches are written. */
const WRITE_EVERY_MS = 500;
const REQUESTS_AT_ONCE = 500;
/**
 * The maximum number of times that a batch is moved to another day: a day may be dropped, or the next day may begin, while a batch is sent.
 */
const MAX_MOVES = 3;

/** Writes one batch at a time. */
export class BatchWriter extends LogWriter {
  readonly #pool: PostgresPool;
  readonly #partitions: LogPartitions;
  /** A batch that is sent again is detected by its writer and its number. */
  readonly #writer = crypto.randomUUID();
  /** The rows of the oldest requests of the queue. */
  #batch: RowBatch | undefined;
  /** Whether the batch was sent: it may be written already, so it must not change. */
  #isSent = false;
  #batches = 0;
  /** The newest day with requests that this process knows. */
  #newest = "";

  constructor(options: LogWriterOptions, retention: Retention, pool: PostgresPool, partitions: LogPartitions) {
    super(options, retention, { everyMs: WRITE_EVERY_MS, fullBatch: REQUESTS_AT_ONCE });
    this.#pool = pool;
    this.#partitions = partitions;
  }

  get waiting(): number {
    return this.isBusy || this.#isSent ? 0 : Math.min(this.queue.length, REQUESTS_AT_ONCE) - (this.#batch?.length ?? 0);
  }

  runSlice(requests: number): void {
    if (this.waiting === 0) return;
    const isComplete = this.#build((this.#batch?.length ?? 0) + requests);
    if (isComplete) void this.writeRequests();
  }

  async writeMirrors(results: readonly MirrorResult[]): Promise<boolean> {
    try {
      await this.#insertToday("mirrors", "$1::uuid[], $2::text[], $3::text[]", [
        results.map(({ requestId }) => uuidOf(requestId)!),
        results.map(({ model }) => storable(model)),
        results.map((result) => JSON.stringify(result, storableValue)),
      ]);
      return true;
    } catch (error) {
      return isInvalidData(error);
    }
  }

  protected async writeOldest(): Promise<void> {
    const { queue, retention, failures } = this;
    if (queue.length === 0) return;
    if (retention.isFull) {
      this.#clear();
      this.drop(queue.first(REQUESTS_AT_ONCE), "no_disk_room");
      return failures.succeed();
    }
    try {
      await this.#send();
      const { day, length } = this.#batch!;
      if (day > this.#newest) this.#newest = day;
      this.#clear();
      this.finish(queue.first(length));
      failures.succeed();
    } catch (error) {
      if (isInvalidData(error)) this.#discard();
      failures.fail(error);
    }
  }

  protected insertBodies(ready: readonly ReadyBodies[]): Promise<void> {
    return this.#insertToday("bodies", "$1::uuid[], $2::text[], $3::text[], $4::boolean[]", [
      ready.map(({ requestId }) => uuidOf(requestId)!),
      ready.map(({ bodies: { request } }) => request && storable(request)),
      ready.map(({ bodies: { reply } }) => reply && storable(reply)),
      ready.map(({ bodies: { isCut } }) => isCut),
    ]);
  }

  /** Retention runs in the background, also without requests. */
  protected idle(): boolean {
    return true;
  }

  async #send(): Promise<void> {
    for (let moves = 0; moves < MAX_MOVES; moves++) {
      this.#build(REQUESTS_AT_ONCE);
      const batch = this.#batch!;
      await this.#partitions.ensure(batch.day);
      this.#isSent = true;
      const outcome = await writeBatch(this.#pool, this.#writer, batch);
      if (outcome.kind === "written") return;
      if (outcome.kind === "missing_day") this.#partitions.forget(batch.day);
      else this.#newest = outcome.newest;
      this.#clear();
    }
    throw new Error("the tables of the day are dropped as soon as they are created");
  }

  /** Drops a batch with a value that the database rejects, so that the log continues. */
  #discard(): void {
    const { length } = this.#batch!;
    this.#clear();
    this.drop(this.queue.first(length), "queue_full");
  }

  #clear(): void {
    this.#batch = undefined;
    this.#isSent = false;
  }

  /** Adds the next requests of the same day to the batch, up to a length. Returns whether the batch is complete. */
  #build(length: number): boolean {
    if (this.#isSent) return true;
    const oldest = this.queue.first(Math.min(length, REQUESTS_AT_ONCE));
    for (const queued of oldest.slice(this.#batch?.length ?? 0)) {
      const day = this.#dayFor(queued.endedAtMs);
      this.#batch ??= new RowBatch(day, ++this.#batches);
      if (this.#batch.day !== day) return true;
      this.#batch.add(recordOf(queued, this.options.redactSecrets));
    }
    return oldest.length === REQUESTS_AT_ONCE;
  }

  /** A day after tomorrow results from a wrong clock of this process: its requests are stored in today. */
  #dayFor(endedAtMs: number): string {
    const day = dayIn(this.#newest, endedAtMs);
    return day > addDays(this.retention.today, 1) ? this.retention.today : day;
  }

  /** Inserts rows, given as a list for each column, into a table of today. */
  async #insertToday(kind: "bodies" | "mirrors", lists: string, columns: readonly unknown[]): Promise<void> {
    const day = this.retention.today;
    try {
      await this.#partitions.ensure(day);
      await this.#pool.query(`insert into ${POSTGRES.tablesOf(day)[kind]} select * from unnest(${lists}) on conflict do nothing`, columns);
    } catch (error) {
      // The day was dropped meanwhile.
      if (isMissingTable(error)) this.#partitions.forget(day);
      throw error;
    }
  }
}

/** Replaces characters within the JSON that PostgreSQL could not read: it rejects the escape of a NUL character. */
function storableValue(_: string, value: unknown): unknown {
  return typeof value === "string" ? storable(value) : value;
}
