import { setImmediate as nextTurn } from "node:timers/promises";
import type { EndedRequest } from "../../vocabulary/request-notes.ts";
import { isDamage, isForeign, wordsOf } from "./day-trouble.ts";
import { DayWriter } from "./day-writer.ts";
import { DiskRoom } from "./disk-room.ts";
import { dayOf, type LogFolder } from "./log-folder.ts";
import type { RequestQueue } from "./request-queue.ts";
import { toLoggedRequest } from "./to-logged-request.ts";

const WRITE_EVERY_MS = 200;
/** Requests written in one turn: two or three milliseconds in which nothing else can run. */
const REQUESTS_AT_ONCE = 400;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A clock that is put back by less than this does not take the log back to the day before. */
const CLOCK_SLACK_MS = 60 * 60 * 1000;

export interface LogWriterOptions {
  readonly folder: LogFolder;
  readonly queue: RequestQueue;
  readonly room: DiskRoom;
  /** A text without the secrets that callers put where they do not belong. */
  readonly hideSecrets: (text: string) => string;
  /** Hears when nothing can be written, and, with undefined, when it can be again. */
  readonly report: (trouble: string | undefined) => void;
  /** A damaged file has been given this name. */
  readonly reportDamaged: (path: string) => void;
  /** A day's file is no longer what it was. */
  readonly forget: (day: string) => void;
}

/** Writes what waits in the queue, a moment later and many at once. What fails is tried again, while the queue takes what it can. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #timer: Timer;
  #writer: DayWriter | undefined;
  #draining: Promise<void> | undefined;
  #trouble: string | undefined;
  #retryMs = 0;
  #retryAt = 0;
  /** The day of a file that was damaged, until one that is not has taken its place. */
  #damagedDay: string | undefined;
  #written = 0;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#tick(), WRITE_EVERY_MS).unref();
  }

  get written(): number {
    return this.#written;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Resolves when all that was in the queue is written, or cannot be. */
  async catchUp(): Promise<void> {
    const { queue } = this.#options;
    const until = queue.done + queue.length;
    while (queue.done < until && !this.#trouble) await this.#drain();
  }

  /** Takes a damaged file out of the way. The next one begins with the next request. */
  setAside(day: string): void {
    this.#closeWriter();
    this.#options.forget(day);
    this.#options.reportDamaged(this.#options.folder.setAside(day));
  }

  /** Writes what is left, if that can be done, and ends. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#draining;
    this.#retryAt = 0;
    await this.#drain();
    this.#closeWriter();
  }

  async #tick(): Promise<void> {
    if (performance.now() < this.#retryAt) return;
    if (this.#options.queue.length > 0) return this.#drain();
    // Nobody has come, and yet the oldest day goes when a new one begins.
    this.#attempt(() => this.#options.room.keep());
  }

  #drain(): Promise<void> {
    this.#draining ??= this.#writeSlices().finally(() => (this.#draining = undefined));
    return this.#draining;
  }

  /** Writes what there is at this moment, and not what comes up meanwhile: under load that would never end. */
  async #writeSlices(): Promise<void> {
    const { queue } = this.#options;
    for (let left = queue.length; left > 0;) {
      const slice = this.#nextSlice(left);
      if (!this.#attempt(() => this.#write(slice))) return;
      queue.remove(slice.length);
      left -= slice.length;
      await nextTurn();
    }
  }

  /** The oldest, as far as they are of one day. */
  #nextSlice(left: number): readonly EndedRequest[] {
    const oldest = this.#options.queue.first(Math.min(left, REQUESTS_AT_ONCE));
    const startMs = Date.parse(this.#dayFor(oldest[0]!));
    const other = oldest.findIndex(({ endedAtMs }, at) => at > 0 && (endedAtMs < startMs || endedAtMs >= startMs + DAY_MS));
    return other < 0 ? oldest : oldest.slice(0, other);
  }

  #dayFor({ endedAtMs }: EndedRequest): string {
    const day = dayOf(endedAtMs);
    const current = this.#writer?.day;
    return current !== undefined && day < current && dayOf(endedAtMs + CLOCK_SLACK_MS) === current ? current : day;
  }

  #write(slice: readonly EndedRequest[]): void {
    const { queue, room, hideSecrets } = this.#options;
    room.keep();
    if (room.isFull) {
      queue.drops.no_disk_room += slice.length;
      return;
    }
    const writer = this.#writerFor(this.#dayFor(slice[0]!));
    const isThere = this.#trouble !== undefined && writer.endsWith(slice.at(-1)!.requestId);
    if (!isThere) writer.write(slice.map((ended) => toLoggedRequest(ended, hideSecrets)));
    this.#written += slice.length;
    this.#damagedDay = undefined;
    room.use(slice.length);
  }

  #writerFor(day: string): DayWriter {
    if (this.#writer?.day === day && !this.#writer.isGone) return this.#writer;
    const { folder, forget } = this.#options;
    this.#closeWriter();
    folder.make();
    forget(day);
    this.#writer = new DayWriter(day, folder.fileOf(day));
    return this.#writer;
  }

  #closeWriter(): void {
    this.#writer?.close();
    this.#writer = undefined;
  }

  /** Whether it has worked. */
  #attempt(step: () => void): boolean {
    try {
      step();
    } catch (error) {
      this.#fail(error);
      return false;
    }
    this.#retryMs = 0;
    this.#tell(this.#options.room.complaint);
    return true;
  }

  #fail(error: unknown): void {
    const day = this.#options.queue.length > 0 ? this.#dayFor(this.#options.queue.first(1)[0]!) : undefined;
    this.#closeWriter();
    // One that is damaged as soon as it is made is no file's fault.
    if (day !== undefined && day !== this.#damagedDay && (isDamage(error) || isForeign(error))) {
      this.#damagedDay = day;
      return void this.#attempt(() => this.setAside(day));
    }
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2 || FIRST_RETRY_MS);
    this.#retryAt = performance.now() + this.#retryMs;
    this.#tell(wordsOf(error));
  }

  #tell(trouble: string | undefined): void {
    const isNews = (trouble === undefined) !== (this.#trouble === undefined);
    this.#trouble = trouble;
    if (isNews) this.#options.report(trouble);
  }
}
