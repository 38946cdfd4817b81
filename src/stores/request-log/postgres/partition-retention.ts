import { StorageUnavailable } from "../../../requests/storage-unavailable.ts";
import { messageOf } from "../log-database.ts";
import { addDays, dayOf } from "../log-day.ts";
import { TrustedWallClock, type Clocks } from "../trusted-wall-clock.ts";
import type { LogPartitions } from "./log-partitions.ts";

/** The approximate size of a request, to decide when to measure the real size. */
const BYTES_PER_REQUEST = 400;
const MEASURE_EVERY_BYTES = 1024 * 1024;
/** How often to measure, because other processes write and drop as well. */
const MEASURE_EVERY_MS = 10_000;

interface PartitionRetentionOptions extends Clocks {
  readonly partitions: LogPartitions;
  /** The number of days that a day is retained after its end. 0 drops all days. */
  readonly days: number;
  /** The size limit of all days together. */
  readonly maxBytes: number;
}

/** Retention: keeps the log within its limits of days and bytes, and creates the tables of today and tomorrow ahead of time. */
export class PartitionRetention {
  readonly #options: PartitionRetentionOptions;
  readonly #clock: TrustedWallClock;
  /** The day of the last drop of expired days. */
  #droppedOn = "";
  #preparedOn = "";
  #unmeasuredBytes = 0;
  #measureAtMs = 0;
  #fullReason: string | undefined;
  #failure: string | undefined;

  constructor(options: PartitionRetentionOptions) {
    this.#options = options;
    this.#clock = new TrustedWallClock(options);
  }

  /** Whether today's requests alone exceed the size limit. */
  get isFull(): boolean {
    return this.#fullReason !== undefined;
  }

  /** Why the log is full, or why days cannot be created or dropped, as a message. */
  get problem(): string | undefined {
    return this.#fullReason ?? this.#failure;
  }

  /** The last day on which a request can have ended: tomorrow. Undefined while the wall clock is not trusted. */
  lastDay(): string | undefined {
    return this.#clock.isTrusted() ? addDays(dayOf(this.#options.nowMs()), 1) : undefined;
  }

  /** Counts written requests, or bytes of bodies. */
  countWritten(requests: number, bytes = 0): void {
    this.#unmeasuredBytes += requests * BYTES_PER_REQUEST + bytes;
  }

  /** Creates and drops days. Makes no query if nothing can have changed. Never throws. */
  async enforce(): Promise<void> {
    try {
      await this.#enforce();
      this.#failure = undefined;
    } catch (error) {
      // The writer reports a database that is away.
      this.#failure = error instanceof StorageUnavailable ? undefined : messageOf(error);
    }
  }

  async #enforce(): Promise<void> {
    const { days, nowMs } = this.#options;
    const today = dayOf(nowMs());
    if (days > 0) await this.#prepare(today);
    await this.#dropOld(today);
    if (days > 0 && (this.#unmeasuredBytes >= MEASURE_EVERY_BYTES || performance.now() >= this.#measureAtMs)) await this.#measure(today);
  }

  async #prepare(today: string): Promise<void> {
    if (today === this.#preparedOn) return;
    const { partitions } = this.#options;
    for (const day of [today, addDays(today, 1)]) await partitions.ensure(day);
    this.#preparedOn = today;
    // Measures again, because yesterday may be dropped now.
    this.#measureAtMs = 0;
  }

  async #dropOld(today: string): Promise<void> {
    const { days, partitions } = this.#options;
    const isTrusted = this.#clock.isTrusted();
    // With a retention of 0 days all days are dropped, so the wall clock does not matter.
    if (today === this.#droppedOn || (days > 0 && !isTrusted)) return;
    const first = days === 0 ? "~" : addDays(today, -days);
    const expired = (await partitions.all()).filter(({ day }) => day < first);
    if (await this.#drop(expired.map(({ day }) => day))) this.#droppedOn = today;
  }

  async #measure(today: string): Promise<void> {
    const { partitions, maxBytes } = this.#options;
    this.#unmeasuredBytes = 0;
    this.#measureAtMs = performance.now() + MEASURE_EVERY_MS;
    const sizes = await partitions.sizes();
    let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const dropped: string[] = [];
    for (const [day, size] of sizes) {
      if (bytes <= maxBytes || day >= today) break;
      bytes -= size;
      dropped.push(day);
    }
    await this.#drop(dropped);
    this.#fullReason = bytes <= maxBytes ? undefined : `today's requests alone take ${bytes} bytes, above the limit of ${maxBytes}`;
  }

  /** Returns whether all days were dropped: a day that is being read is dropped later. */
  async #drop(days: readonly string[]): Promise<boolean> {
    try {
      for (const day of days) await this.#options.partitions.drop(day);
      return true;
    } catch (error) {
      if (error instanceof StorageUnavailable) return false;
      throw error;
    }
  }
}
