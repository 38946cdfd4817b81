import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { BackgroundTask } from "../../lib/async/background-task.ts";
import type { MirrorResult } from "../../requests/mirror-result.ts";
import { BodyWriter, type BodyWriterOptions, type ReadyBodies } from "./bodies/body-writer.ts";
import { withBodies, type QueuedRequest } from "./queued-request.ts";
import { RequestQueue } from "./request-queue.ts";
import type { Retention } from "./retention.ts";
import { messageOf } from "../../lib/text/message-of.ts";

/** Bodies written at once, of at most 128 KiB each. */
const BODIES_AT_ONCE = 8;
/** How long a shutdown waits for the redaction of bodies. */
const CLOSING_TIMEOUT_MS = 2000;

export interface LogWriterOptions extends BodyWriterOptions {
  readonly nowMs: () => number;
  /** Called when the log becomes unwritable, and with undefined when it is writable again. */
  readonly report: (failure: string | undefined) => void;
}

interface WriterTiming {
  readonly everyMs: number;
  /** With this number of queued requests, the writer does not wait. */
  readonly fullBatch: number;
}

/** Writes queued requests and bodies in the background. Failed writes are retried while the queue has space. */
export abstract class LogWriter implements BackgroundTask {
  readonly queue = new RequestQueue();
  readonly bodies: BodyWriter;
  protected readonly options: LogWriterOptions;
  protected readonly retention: Retention;
  protected readonly failures: WriteFailures;
  readonly #fullBatch: number;
  readonly #timer: Timer;
  #requests: Promise<void> | undefined;
  #bodies: Promise<void> | undefined;
  #written = 0;
  #isClosed = false;

  protected constructor(options: LogWriterOptions, retention: Retention, { everyMs, fullBatch }: WriterTiming) {
    this.options = options;
    this.retention = retention;
    this.bodies = new BodyWriter(options);
    this.failures = new WriteFailures(options.report, retention);
    this.#fullBatch = fullBatch;
    this.#timer = setInterval(() => this.#tick(), everyMs).unref();
  }

  /** The number of requests written since startup. */
  get written(): number {
    return this.#written;
  }

  /** Why the log cannot be written at the moment; undefined if it can. */
  get failure(): string | undefined {
    return this.failures.failure;
  }

  abstract get waiting(): number;

  abstract runSlice(requests: number): void;

  /** Writes the results of mirrored requests. Returns true if that succeeded, or can never succeed. Never throws. */
  abstract writeMirrors(results: readonly MirrorResult[]): Promise<boolean>;

  /** Resolves when all requests now in the queue are written, or if the log cannot be written. */
  async catchUp(): Promise<void> {
    const { queue } = this;
    const until = queue.done + queue.length;
    while (queue.done < until && !this.failure) await this.writeRequests();
  }

  /** The same as `catchUp`, including the bodies of the requests. */
  async catchUpWithBodies(): Promise<void> {
    await this.catchUp();
    const { bodies } = this;
    const until = bodies.done + bodies.length;
    while (bodies.done < until && !this.failure) await this.#writeBodies();
  }

  /** Writes pending requests and bodies, if possible, and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosed = true;
    await this.#requests;
    // One more attempt, even after a failure.
    await this.writeRequests();
    await Promise.race([this.#writeRest(), sleep(CLOSING_TIMEOUT_MS, undefined, { ref: false })]);
  }

  /** Whether requests are being written, or none can be written at the moment. */
  protected get isBusy(): boolean {
    return this.#isClosed || this.#requests !== undefined || this.failure !== undefined;
  }

  /** Writes or drops some of the oldest requests, which are the only ones that are written at a time. Never throws. */
  protected abstract writeOldest(): Promise<void>;

  /** Throws if the bodies cannot be written at the moment. */
  protected abstract insertBodies(ready: readonly ReadyBodies[]): void | Promise<void>;

  /** Work for each time that no request is queued. Returns whether that succeeded. */
  protected abstract idle(): boolean;

  protected writeRequests(): Promise<void> {
    this.#requests ??= this.writeOldest().finally(() => {
      this.#requests = undefined;
      if (!this.#isClosed && !this.failure && this.queue.length >= this.#fullBatch) void this.writeRequests();
    });
    return this.#requests;
  }

  /** The oldest requests are written. */
  protected finish(written: readonly QueuedRequest[]): void {
    for (const ended of withBodies(written)) this.bodies.enqueue(ended);
    this.queue.remove(written.length);
    this.#written += written.length;
    this.retention.countWritten(written.length);
  }

  /** Drops the oldest requests: there is no space for them, or the database rejects them. */
  protected drop(dropped: readonly QueuedRequest[], reason: "no_disk_room" | "queue_full"): void {
    const bodyReason = reason === "no_disk_room" ? reason : "no_memory";
    for (const ended of withBodies(dropped)) this.bodies.discard(ended, bodyReason);
    this.queue.drops[reason] += dropped.length;
    this.queue.remove(dropped.length);
  }

  #tick(): void {
    const { queue, bodies, failures } = this;
    if (!failures.isRetryDue) return;
    if (queue.length > 0) void this.writeRequests();
    else if (this.idle() && bodies.length === 0) failures.succeed();
    if (bodies.length > 0) void this.#writeBodies();
  }

  #writeBodies(): Promise<void> {
    this.#bodies ??= this.#writeReadyBodies().finally(() => (this.#bodies = undefined));
    return this.#bodies;
  }

  /**
   * Bodies are written into today, even if the request is in an earlier day: a lookup searches all days from the start of the request on.
   */
  async #writeReadyBodies(): Promise<void> {
    const { bodies, retention, failures } = this;
    for (const until = bodies.done + bodies.length; bodies.done < until;) {
      await bodies.redactNext(BODIES_AT_ONCE);
      if (retention.isFull) bodies.drop();
      else if (bodies.ready.length > 0) {
        try {
          await this.insertBodies(bodies.ready);
        } catch (error) {
          return failures.fail(error);
        }
        failures.succeed();
        retention.countWritten(0, bodies.readyBytes);
        bodies.clear();
      }
      await nextTurn();
    }
  }

  async #writeRest(): Promise<void> {
    await this.catchUp();
    await this.#bodies;
    await this.#writeBodies();
  }
}

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5000;

/** The reason why the log cannot be written at the moment, and the time of the next retry, with exponential backoff. */
class WriteFailures {
  readonly #report: (failure: string | undefined) => void;
  readonly #retention: Retention;
  #failure: string | undefined;
  #retryMs = 0;
  #retryAt = 0;

  constructor(report: (failure: string | undefined) => void, retention: Retention) {
    this.#report = report;
    this.#retention = retention;
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
    this.#set(this.#retention.problem);
  }

  /** Runs work that may fail. Returns whether it succeeded; a success does not end an earlier failure. */
  attempt(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  #set(failure: string | undefined): void {
    const isNews = (failure === undefined) !== (this.#failure === undefined);
    this.#failure = failure;
    if (isNews) this.#report(failure);
  }
}
