import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { BodyWriter } from "./bodies/body-writer.ts";
import type { CurrentDay } from "./sqlite/current-day.ts";
import type { QueueWriter } from "./queued-request-log-store.ts";
import type { Retention } from "./retention.ts";
import type { RequestQueue } from "./request-queue.ts";
import { recordOf, withBodies, type QueuedRequest } from "./queued-request.ts";

/** Short, because records that live longer are copied by the garbage collector, which costs as much as writing them. */
const WRITE_EVERY_MS = 50;
/** Requests written in one turn of the event loop, which blocks it for 2 to 3 ms. */
const REQUESTS_AT_ONCE = 400;
/** Bodies written in one turn of the event loop, of at most 128 KiB each. */
const BODIES_AT_ONCE = 8;
/** How long a shutdown waits for the redaction of bodies. */
const CLOSING_TIMEOUT_MS = 2000;

interface LogWriterOptions {
  readonly queue: RequestQueue;
  readonly bodies: BodyWriter;
  readonly retention: Retention;
  readonly current: CurrentDay;
  readonly redactSecrets: (text: string) => string;
  readonly nowMs: () => number;
}

/** Writes queued requests and bodies in the background, many in one transaction. Failed writes are retried while the queue has space. */
export class LogWriter implements QueueWriter {
  readonly #options: LogWriterOptions;
  readonly #timer: Timer;
  #requests: Promise<void> | undefined;
  #bodies: Promise<void> | undefined;
  #written = 0;
  /** A failed write may still be durable. This is only detected if the retry includes all of its requests. */
  #isRetry = false;
  #isClosed = false;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), WRITE_EVERY_MS).unref();
  }

  get written(): number {
    return this.#written;
  }

  get failure(): string | undefined {
    return this.#options.current.failure;
  }

  get waiting(): number {
    const isBlocked = this.#isClosed || this.#requests !== undefined || this.#isRetry || this.failure !== undefined;
    return isBlocked ? 0 : this.#options.queue.length;
  }

  runSlice(requests: number): void {
    if (this.waiting > 0) this.#writeOldest(requests);
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
    await this.#requests;
    await this.#writeRequests();
    await Promise.race([this.#bodies, sleep(CLOSING_TIMEOUT_MS, undefined, { ref: false })]);
    if (!this.#bodies) await Promise.race([this.#writeBodies(), sleep(CLOSING_TIMEOUT_MS, undefined, { ref: false })]);
    this.#isClosed = true;
    this.#options.current.close();
  }

  #tick(): void {
    const { queue, bodies, current } = this.#options;
    if (!current.isRetryDue) return;
    if (queue.length > 0) void this.#writeRequests();
    // Without requests, retention still deletes the oldest day when a new one begins.
    else if (current.enforceRetention() && bodies.length === 0) current.recover();
    if (bodies.length > 0) void this.#writeBodies();
  }

  #writeRequests(): Promise<void> {
    this.#requests ??= this.#writeSlices().finally(() => (this.#requests = undefined));
    return this.#requests;
  }

  #writeBodies(): Promise<void> {
    this.#bodies ??= this.#writeReadyBodies().finally(() => (this.#bodies = undefined));
    return this.#bodies;
  }

  /** Writes only the requests that are queued now: under load, including new requests would never end. */
  async #writeSlices(): Promise<void> {
    const { queue } = this.#options;
    for (let left = queue.length; left > 0;) {
      const written = this.#writeOldest(left);
      if (written === 0) return;
      left -= written;
      await nextTurn();
    }
  }

  /** Writes or drops some of the oldest requests. Returns their number, or 0 after a failure. */
  #writeOldest(atMost: number): number {
    const slice = this.#nextSlice(atMost);
    if (!this.#writeSlice(slice)) return 0;
    this.#options.queue.remove(slice.length);
    return slice.length;
  }

  /** The oldest requests that belong to one day file. */
  #nextSlice(atMost: number): readonly QueuedRequest[] {
    const { queue, current } = this.#options;
    const oldest = queue.first(Math.min(atMost, REQUESTS_AT_ONCE));
    const { startMs, endMs } = current.spanAround(oldest[0]!.endedAtMs);
    const other = oldest.findIndex(({ endedAtMs }, at) => at > 0 && (endedAtMs < startMs || endedAtMs >= endMs));
    return other < 0 ? oldest : oldest.slice(0, other);
  }

  #writeSlice(slice: readonly QueuedRequest[]): boolean {
    const { retention, current, redactSecrets } = this.#options;
    if (!current.enforceRetention()) return false;
    if (retention.isFull) return this.#drop(slice);
    this.#isRetry = !current.write(slice[0]!.endedAtMs, (writer) => {
      const unwritten = this.#isRetry ? writer.unwritten(slice) : slice;
      writer.write(unwritten.map((queued) => recordOf(queued, redactSecrets)));
    });
    if (this.#isRetry) return false;
    this.#written += slice.length;
    retention.countWritten(slice.length);
    for (const ended of withBodies(slice)) this.#options.bodies.enqueue(ended);
    return true;
  }

  #drop(slice: readonly QueuedRequest[]): true {
    const { queue, bodies, current } = this.#options;
    queue.drops.no_disk_room += slice.length;
    for (const ended of withBodies(slice)) bodies.discard(ended, "no_disk_room");
    current.recover();
    return true;
  }

  async #writeReadyBodies(): Promise<void> {
    const { bodies, retention, current, nowMs } = this.#options;
    for (const until = bodies.done + bodies.length; bodies.done < until;) {
      await bodies.redactNext(BODIES_AT_ONCE);
      if (retention.isFull) bodies.drop();
      else if (bodies.ready.length > 0) {
        // Written to today's file, even if the request is in an earlier file: a lookup searches all days from the start of the request on.
        if (!current.write(nowMs(), (writer) => writer.writeBodies(bodies.ready))) return;
        retention.countWritten(0, bodies.readyBytes);
        bodies.clear();
      }
      await nextTurn();
    }
  }
}
