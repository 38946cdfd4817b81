import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { BodyWriter } from "../bodies/body-writer.ts";
import { messageOf } from "../log-database.ts";
import { addDays, dayIn, dayOf } from "../log-day.ts";
import { POSTGRES, storable } from "../log-dialect.ts";
import { uuidOf } from "../request-rows.ts";
import type { QueueWriter } from "../queued-request-log-store.ts";
import { recordOf, withBodies } from "../queued-request.ts";
import type { RequestQueue } from "../request-queue.ts";
import { isInvalidData, isMissingTable, type LogPartitions } from "./log-partitions.ts";
import type { PartitionRetention } from "./partition-retention.ts";
import { RowBatch } from "./row-batch.ts";
import { writeBatch } from "./write-batch.ts";

/** A batch costs the database about as much as 100 rows, so few and large batches are written. */
const WRITE_EVERY_MS = 500;
const REQUESTS_AT_ONCE = 500;
/** Bodies written at once, of at most 128 KiB each. */
const BODIES_AT_ONCE = 8;
/** How long a shutdown waits for the redaction of bodies. */
const CLOSING_TIMEOUT_MS = 2000;
/**
 * The maximum number of times that a batch is moved to another day: a day may be dropped, or the next day may begin, while a batch is sent.
 */
const MAX_MOVES = 3;

interface BatchWriterOptions {
  readonly pool: PostgresPool;
  readonly queue: RequestQueue;
  readonly bodies: BodyWriter;
  readonly partitions: LogPartitions;
  readonly retention: PartitionRetention;
  readonly redactSecrets: (text: string) => string;
  readonly nowMs: () => number;
  readonly report: (failure: string | undefined) => void;
}

/** Writes queued requests and bodies in the background, one batch at a time. Failed writes are retried while the queue has space. */
export class BatchWriter implements QueueWriter {
  readonly #options: BatchWriterOptions;
  /** A batch that is sent again is detected by its writer and its number. */
  readonly #writer = crypto.randomUUID();
  readonly #failures: WriteFailures;
  readonly #timer: Timer;
  /** The rows of the oldest requests of the queue. */
  #batch: RowBatch | undefined;
  /** Whether the batch was sent: it may be written already, so it must not change. */
  #isSent = false;
  #batches = 0;
  /** The newest day with requests that this process knows. */
  #newest = "";
  #requests: Promise<void> | undefined;
  #bodies: Promise<void> | undefined;
  #written = 0;
  #isClosed = false;

  constructor(options: BatchWriterOptions) {
    this.#options = options;
    this.#failures = new WriteFailures(options.report, () => options.retention.problem);
    this.#timer = setInterval(() => this.#tick(), WRITE_EVERY_MS).unref();
  }

  get written(): number {
    return this.#written;
  }

  get failure(): string | undefined {
    return this.#failures.failure;
  }

  get waiting(): number {
    const isBlocked = this.#isClosed || this.#isSent || this.#requests !== undefined || this.failure !== undefined;
    return isBlocked ? 0 : Math.min(this.#options.queue.length, REQUESTS_AT_ONCE) - (this.#batch?.length ?? 0);
  }

  runSlice(requests: number): void {
    if (this.waiting === 0) return;
    const isComplete = this.#build((this.#batch?.length ?? 0) + requests);
    if (isComplete) void this.#writeRequests();
  }

  async catchUp(): Promise<void> {
    const { queue } = this.#options;
    const until = queue.done + queue.length;
    while (queue.done < until && !this.failure) await this.#writeRequests();
  }

  async catchUpWithBodies(): Promise<void> {
    await this.catchUp();
    const { bodies } = this.#options;
    const until = bodies.done + bodies.length;
    while (bodies.done < until && !this.failure) await this.#writeBodies();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosed = true;
    // One more attempt, even after a failure.
    await this.#writeRequests();
    await Promise.race([this.catchUpWithBodies(), sleep(CLOSING_TIMEOUT_MS, undefined, { ref: false })]);
  }

  #tick(): void {
    const { queue, bodies } = this.#options;
    if (!this.#failures.isRetryDue) return;
    if (queue.length > 0) void this.#writeRequests();
    else if (this.failure !== undefined && bodies.length === 0) this.#failures.succeed();
    if (bodies.length > 0) void this.#writeBodies();
  }

  #writeRequests(): Promise<void> {
    this.#requests ??= this.#writeOldest().finally(() => {
      this.#requests = undefined;
      if (!this.#isClosed && !this.failure && this.#options.queue.length >= REQUESTS_AT_ONCE) void this.#writeRequests();
    });
    return this.#requests;
  }

  #writeBodies(): Promise<void> {
    this.#bodies ??= this.#writeReadyBodies().finally(() => (this.#bodies = undefined));
    return this.#bodies;
  }

  /** Writes or drops the oldest requests. */
  async #writeOldest(): Promise<void> {
    const { queue, retention } = this.#options;
    if (queue.length === 0) return;
    if (retention.isFull) return this.#dropOldest();
    try {
      await this.#send();
      this.#finish();
      this.#failures.succeed();
    } catch (error) {
      if (isInvalidData(error)) this.#discard();
      this.#failures.fail(error);
    }
  }

  async #send(): Promise<void> {
    const { pool, partitions } = this.#options;
    for (let moves = 0; moves < MAX_MOVES; moves++) {
      this.#build(REQUESTS_AT_ONCE);
      const batch = this.#batch!;
      await partitions.ensure(batch.day);
      this.#isSent = true;
      const outcome = await writeBatch(pool, this.#writer, batch);
      if (outcome.kind === "written") return;
      if (outcome.kind === "missing_day") partitions.forget(batch.day);
      else this.#newest = outcome.newest;
      this.#clear();
    }
    throw new Error("the tables of the day are dropped as soon as they are created");
  }

  /** The batch is written: prepares for the next one. */
  #finish(): void {
    const { queue, bodies, retention } = this.#options;
    const { length, day } = this.#batch!;
    if (day > this.#newest) this.#newest = day;
    for (const ended of withBodies(queue.first(length))) bodies.enqueue(ended);
    queue.remove(length);
    this.#written += length;
    retention.countWritten(length);
    this.#clear();
  }

  /** Drops the oldest requests, because the log is full. */
  #dropOldest(): void {
    const { queue, bodies } = this.#options;
    const dropped = queue.first(REQUESTS_AT_ONCE);
    for (const ended of withBodies(dropped)) bodies.discard(ended, "no_disk_room");
    queue.drops.no_disk_room += dropped.length;
    queue.remove(dropped.length);
    this.#clear();
    this.#failures.succeed();
  }

  /** Discards a batch with a value that the database rejects, so that the log continues. */
  #discard(): void {
    const { queue, bodies } = this.#options;
    const { length } = this.#batch!;
    for (const ended of withBodies(queue.first(length))) bodies.discard(ended, "no_memory");
    queue.drops.queue_full += length;
    queue.remove(length);
    this.#clear();
  }

  #clear(): void {
    this.#batch = undefined;
    this.#isSent = false;
  }

  /** Adds the next requests of the same day to the batch, up to a length. Returns whether the batch is complete. */
  #build(length: number): boolean {
    if (this.#isSent) return true;
    const { queue, redactSecrets } = this.#options;
    const oldest = queue.first(Math.min(length, REQUESTS_AT_ONCE));
    for (const queued of oldest.slice(this.#batch?.length ?? 0)) {
      const day = this.#dayFor(queued.endedAtMs);
      this.#batch ??= new RowBatch(day, ++this.#batches);
      if (this.#batch.day !== day) return true;
      this.#batch.add(recordOf(queued, redactSecrets));
    }
    return oldest.length === REQUESTS_AT_ONCE;
  }

  /** A day after tomorrow results from a wrong clock of this process: its requests are stored in today. */
  #dayFor(endedAtMs: number): string {
    const today = dayOf(this.#options.nowMs());
    const day = dayIn(this.#newest, endedAtMs);
    return day > addDays(today, 1) ? today : day;
  }

  async #writeReadyBodies(): Promise<void> {
    const { bodies, retention } = this.#options;
    for (const until = bodies.done + bodies.length; bodies.done < until;) {
      await bodies.redactNext(BODIES_AT_ONCE);
      if (retention.isFull) bodies.drop();
      else if (bodies.ready.length > 0) {
        if (!(await this.#insertBodies())) return;
        retention.countWritten(0, bodies.readyBytes);
        bodies.clear();
      }
    }
  }

  /**
   * Writes into the table of today, even if the request is in an earlier one: a lookup searches all days from the start of the request on.
   */
  async #insertBodies(): Promise<boolean> {
    const { pool, bodies, partitions, nowMs } = this.#options;
    const day = dayOf(nowMs());
    try {
      await partitions.ensure(day);
      await pool.query(
        `insert into ${POSTGRES.tablesOf(day).bodies} select * from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[]) on conflict do nothing`,
        [
          bodies.ready.map(({ requestId }) => uuidOf(requestId)!),
          bodies.ready.map(({ bodies: { request } }) => request && storable(request)),
          bodies.ready.map(({ bodies: { reply } }) => reply && storable(reply)),
          bodies.ready.map(({ bodies: { isCut } }) => isCut),
        ],
      );
      this.#failures.succeed();
      return true;
    } catch (error) {
      if (isMissingTable(error)) partitions.forget(day);
      this.#failures.fail(error);
      return false;
    }
  }
}

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5000;

/** The reason why the log cannot be written at the moment, and the time of the next retry, with exponential backoff. */
class WriteFailures {
  readonly #report: (failure: string | undefined) => void;
  readonly #problem: () => string | undefined;
  #failure: string | undefined;
  #retryMs = 0;
  #retryAt = 0;

  /**
   * `report` is called when the log becomes unwritable, and with undefined when it is writable again. `problem` returns another reason,
   * such as a full log.
   */
  constructor(report: (failure: string | undefined) => void, problem: () => string | undefined) {
    this.#report = report;
    this.#problem = problem;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  get isRetryDue(): boolean {
    return performance.now() >= this.#retryAt;
  }

  fail(error: unknown): void {
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2 || FIRST_RETRY_MS);
    this.#retryAt = performance.now() + this.#retryMs;
    this.#set(messageOf(error));
  }

  succeed(): void {
    this.#retryMs = 0;
    this.#set(this.#problem());
  }

  #set(failure: string | undefined): void {
    const isNews = (failure === undefined) !== (this.#failure === undefined);
    this.#failure = failure;
    if (isNews) this.#report(failure);
  }
}
