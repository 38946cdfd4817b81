import { setImmediate as nextTurn } from "node:timers/promises";
import type { MirrorResult } from "../../../requests/mirror-result.ts";
import type { ReadyBodies } from "../bodies/body-writer.ts";
import { LogWriter, type LogWriterOptions } from "../log-writer.ts";
import { recordOf, type QueuedRequest } from "../queued-request.ts";
import type { Retention } from "../retention.ts";
import type { CurrentDay } from "./current-day.ts";

/** Short, because records that live longer are copied by the garbage collector, which costs as much as writing them. */
const WRITE_EVERY_MS = 50;
/** Requests written in one turn of the event loop, which blocks it for 2 to 3 ms. */
const REQUESTS_AT_ONCE = 400;

/** Writes into the current day file, many requests in one transaction. */
export class FileLogWriter extends LogWriter {
  readonly #current: CurrentDay;
  /** A failed write may still be durable. This is only detected if the retry includes all of its requests. */
  #isRetry = false;

  constructor(options: LogWriterOptions, retention: Retention, current: CurrentDay) {
    super(options, retention, { everyMs: WRITE_EVERY_MS, fullBatch: Infinity });
    this.#current = current;
  }

  get waiting(): number {
    return this.isBusy || this.#isRetry ? 0 : this.queue.length;
  }

  runSlice(requests: number): void {
    if (this.waiting > 0) this.#writeSlice(requests);
  }

  async writeMirrors(results: readonly MirrorResult[]): Promise<boolean> {
    return this.failures.attempt(() => {
      this.#current.write(this.options.nowMs(), (writer) => writer.writeMirrors(results));
      this.failures.succeed();
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.#current.close();
  }

  /** Writes only the requests that are queued now: under load, including new requests would never end. */
  protected async writeOldest(): Promise<void> {
    for (let left = this.queue.length; left > 0;) {
      const written = this.#writeSlice(left);
      if (written === 0) return;
      left -= written;
      await nextTurn();
    }
  }

  protected insertBodies(ready: readonly ReadyBodies[]): void {
    this.#current.write(this.options.nowMs(), (writer) => writer.writeBodies(ready));
  }

  /** Retention deletes the oldest day when a new one begins, even without requests. */
  protected idle(): boolean {
    return this.failures.attempt(() => this.#current.enforceRetention());
  }

  /** Writes or drops some of the oldest requests. Returns their number, or 0 after a failure. */
  #writeSlice(atMost: number): number {
    const slice = this.#nextSlice(atMost);
    const { retention, failures } = this;
    if (!failures.attempt(() => this.#current.enforceRetention())) return 0;
    if (retention.isFull) this.drop(slice, "no_disk_room");
    else {
      this.#isRetry = !failures.attempt(() => this.#write(slice));
      if (this.#isRetry) return 0;
      this.finish(slice);
    }
    failures.succeed();
    return slice.length;
  }

  #write(slice: readonly QueuedRequest[]): void {
    this.#current.write(slice[0]!.endedAtMs, (writer) => {
      const unwritten = this.#isRetry ? writer.unwritten(slice) : slice;
      writer.write(unwritten.map((queued) => recordOf(queued, this.options.redactSecrets)));
    });
  }

  /** The oldest requests that belong to one day file. */
  #nextSlice(atMost: number): readonly QueuedRequest[] {
    const oldest = this.queue.first(Math.min(atMost, REQUESTS_AT_ONCE));
    const { startMs, endMs } = this.#current.spanAround(oldest[0]!.endedAtMs);
    const other = oldest.findIndex(({ endedAtMs }, at) => at > 0 && (endedAtMs < startMs || endedAtMs >= endMs));
    return other < 0 ? oldest : oldest.slice(0, other);
  }
}
