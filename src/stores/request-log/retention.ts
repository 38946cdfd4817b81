import { addDays, dayOf } from "./log-day.ts";
import type { LogFolder } from "./sqlite/log-folder.ts";
import { TrustedWallClock, type Clocks } from "./trusted-wall-clock.ts";

/** The approximate size of a request, to decide when to measure the real size. */
const BYTES_PER_REQUEST = 300;
const MEASURE_EVERY_BYTES = 1024 * 1024;
const MEASURE_EVERY_MS = 10_000;

interface RetentionOptions extends Clocks {
  readonly folder: LogFolder;
  /** The number of days that a day is retained after its end. */
  readonly days: number;
  /** The size limit of all days together. */
  readonly maxBytes: number;
  /** Closes readers of a day that was deleted. */
  readonly forget: (day: string) => void;
}

/** Retention: keeps the log within its limits of days and bytes. Days are deleted as a whole, the oldest first. */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #clock: TrustedWallClock;
  #today = "";
  /** The day of the last deletion of expired days. */
  #droppedOn = "";
  #unmeasuredBytes = 0;
  #measureAtMs = 0;
  #fullReason: string | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#clock = new TrustedWallClock(options);
  }

  /** Whether today's requests alone exceed the size limit. */
  get isFull(): boolean {
    return this.#fullReason !== undefined;
  }

  /** Why the log is full, as a message. */
  get fullReason(): string | undefined {
    return this.#fullReason;
  }

  /** Counts written requests, or bytes of bodies. */
  countWritten(requests: number, bytes = 0): void {
    this.#unmeasuredBytes += requests * BYTES_PER_REQUEST + bytes;
  }

  /** Deletes days beyond the limits. Cheap if nothing can have changed. */
  enforce(): void {
    const today = dayOf(this.#options.nowMs());
    this.#dropOld(today);
    const isMeasureDue = this.#unmeasuredBytes >= MEASURE_EVERY_BYTES || (this.isFull && performance.now() >= this.#measureAtMs);
    if (today !== this.#today || isMeasureDue) this.#measure(today);
    this.#today = today;
  }

  /**
   * The last day on which a request can have ended: tomorrow, to allow for a small error of the wall clock. Undefined while the wall clock
   * is not trusted.
   */
  lastDay(): string | undefined {
    return this.#clock.isTrusted() ? addDays(dayOf(this.#options.nowMs()), 1) : undefined;
  }

  #dropOld(today: string): void {
    const { days, folder } = this.#options;
    // With a retention of 0 days all days are deleted, so the wall clock does not matter.
    if (today === this.#droppedOn || (days > 0 && !this.#clock.isTrusted())) return;
    this.#forget(folder.dropBefore(days === 0 ? "~" : addDays(today, -days)));
    this.#droppedOn = today;
  }

  #measure(today: string): void {
    const { folder, maxBytes } = this.#options;
    const sizes = folder.sizes();
    let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const retained = [...sizes].filter(([day]) => {
      if (bytes <= maxBytes || day >= today) return true;
      bytes -= sizes.get(day)!;
      return false;
    });
    if (retained.length < sizes.size) this.#forget(folder.dropBefore(retained[0]?.[0] ?? today));
    this.#fullReason = bytes <= maxBytes ? undefined : `today's requests alone take ${bytes} bytes, above the limit of ${maxBytes}`;
    this.#unmeasuredBytes = 0;
    this.#measureAtMs = performance.now() + MEASURE_EVERY_MS;
  }

  #forget(days: readonly string[]): void {
    for (const day of new Set(days)) this.#options.forget(day);
  }
}
