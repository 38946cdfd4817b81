import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { BackgroundTask } from "../../lib/async/background-task.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import type { BodyWriter } from "./bodies/body-writer.ts";
import type { CurrentDay } from "./days/current-day.ts";
import type { Retention } from "./retention.ts";
import type { RequestQueue } from "./request-queue.ts";
import { buildLoggedRequest } from "./build-logged-request.ts";

/** Soon: what waits for longer is copied by the garbage collector, which costs as much as writing it. */
const WRITE_EVERY_MS = 50;
/** Requests written in one turn: two or three milliseconds in which nothing else can run. */
const REQUESTS_AT_ONCE = 400;
/** Bodies written in one turn, of at most 128 KiB each. */
const BODIES_AT_ONCE = 8;
/** How long an end waits for bodies to be prepared. */
const CLOSING_TIMEOUT_MS = 2000;

export interface LogWriterOptions {
  readonly queue: RequestQueue;
  readonly bodies: BodyWriter;
  readonly room: Retention;
  readonly current: CurrentDay;
  readonly hideSecrets: (text: string) => string;
  readonly nowMs: () => number;
}

/** Writes what waits, a moment later and many at once. What fails is tried again, while the queue takes what it can. */
export class LogWriter implements BackgroundTask {
  readonly #options: LogWriterOptions;
  readonly #timer: Timer;
  #requests: Promise<void> | undefined;
  #bodies: Promise<void> | undefined;
  #written = 0;
  /** What failed last may be there all the same, which is only seen where no less of it is tried again. */
  #isRetry = false;
  #isClosed = false;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), WRITE_EVERY_MS).unref();
  }

  get written(): number {
    return this.#written;
  }

  get waiting(): number {
    const isAnothers = this.#isClosed || this.#requests !== undefined || this.#isRetry || this.#options.current.failure !== undefined;
    return isAnothers ? 0 : this.#options.queue.length;
  }

  runSlice(requests: number): void {
    if (this.waiting > 0) this.#writeOldest(requests);
  }

  /** Resolves when all that was in the queue is written, or cannot be. */
  async catchUp(): Promise<void> {
    const { queue, current } = this.#options;
    const until = queue.done + queue.length;
    while (queue.done < until && !current.failure) await this.#writeRequests();
  }

  /** The same for the bodies of what was in the queue. */
  async catchUpWithBodies(): Promise<void> {
    await this.catchUp();
    const { bodies, current } = this.#options;
    const until = bodies.done + bodies.length;
    while (bodies.done < until && !current.failure) await this.#writeBodies();
  }

  /** Writes what is left, if that can be done, and ends. */
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
    // Nobody has come, and yet the oldest day goes when a new one begins.
    else if (current.enforceRetention() && bodies.length === 0) current.rest();
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

  /** Writes what there is at this moment, and not what comes up meanwhile: under load that would never end. */
  async #writeSlices(): Promise<void> {
    const { queue } = this.#options;
    for (let left = queue.length; left > 0;) {
      const written = this.#writeOldest(left);
      if (written === 0) return;
      left -= written;
      await nextTurn();
    }
  }

  /** How many of the oldest are done with, none where that could not be. */
  #writeOldest(atMost: number): number {
    const slice = this.#nextSlice(atMost);
    if (!this.#writeSlice(slice)) return 0;
    this.#options.queue.remove(slice.length);
    return slice.length;
  }

  /** The oldest, as far as they are of one day. */
  #nextSlice(atMost: number): readonly EndedRequest[] {
    const { queue, current } = this.#options;
    const oldest = queue.first(Math.min(atMost, REQUESTS_AT_ONCE));
    const { startMs, endMs } = current.spanAround(oldest[0]!.endedAtMs);
    const other = oldest.findIndex(({ endedAtMs }, at) => at > 0 && (endedAtMs < startMs || endedAtMs >= endMs));
    return other < 0 ? oldest : oldest.slice(0, other);
  }

  #writeSlice(slice: readonly EndedRequest[]): boolean {
    const { room, current, hideSecrets } = this.#options;
    if (!current.enforceRetention()) return false;
    if (room.isFull) return this.#drop(slice);
    this.#isRetry = !current.write(slice[0]!.endedAtMs, (writer) => {
      const unwritten = this.#isRetry ? writer.unwritten(slice) : slice;
      writer.write(unwritten.map((ended) => buildLoggedRequest(ended, hideSecrets)));
    });
    if (this.#isRetry) return false;
    this.#written += slice.length;
    room.use(slice.length);
    for (const ended of slice) if (ended.notes.bodies) this.#options.bodies.follow(ended);
    return true;
  }

  #drop(slice: readonly EndedRequest[]): true {
    const { queue, bodies, current } = this.#options;
    queue.drops.no_disk_room += slice.length;
    for (const ended of slice) if (ended.notes.bodies) bodies.letGo(ended);
    current.rest();
    return true;
  }

  async #writeReadyBodies(): Promise<void> {
    const { bodies, room, current, nowMs } = this.#options;
    for (const until = bodies.done + bodies.length; bodies.done < until;) {
      await bodies.prepare(BODIES_AT_ONCE);
      if (room.isFull) bodies.drop();
      else if (bodies.ready.length > 0) {
        // In the file of this day, whichever their request is in: they are looked for from there on, and go with it at the latest.
        if (!current.write(nowMs(), (writer) => writer.writeBodies(bodies.ready))) return;
        room.use(0, bodies.readyBytes);
        bodies.clear();
      }
      await nextTurn();
    }
  }
}
