import { addDays, dayOf } from "./log-day.ts";
import { TrustedWallClock, type Clocks } from "./trusted-wall-clock.ts";

/** The approximate size of a request, to decide when to measure the real size. */
const BYTES_PER_REQUEST = 400;
const MEASURE_EVERY_BYTES = 1024 * 1024;
/** How often to measure, because other processes may write and drop as well. */
const MEASURE_EVERY_MS = 10_000;

export interface RetentionOptions extends Clocks {
  /** The number of days that a day is retained after its end. 0 disables the log, and drops all days. */
  readonly days: number;
  /** The size limit of all days together. */
  readonly maxBytes: number;
}

/**
 * Retention: decides which days to drop, so that the log stays within its limits of days and bytes, and whether it is full. Days are dropped
 * as a whole, the oldest first.
 */
export class Retention {
  /** Why days cannot be created or dropped at the moment, as a message. */
  failure: string | undefined;
  readonly #options: RetentionOptions;
  readonly #clock: TrustedWallClock;
  /** The day of the last drop of expired days. */
  #droppedOn = "";
  #measuredOn = "";
  #unmeasuredBytes = 0;
  #measureAtMs = 0;
  #fullReason: string | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#clock = new TrustedWallClock(options);
  }

  get isOn(): boolean {
    return this.#options.days > 0;
  }

  get today(): string {
    return dayOf(this.#options.nowMs());
  }

  /** Whether today's requests alone exceed the size limit. */
  get isFull(): boolean {
    return this.#fullReason !== undefined;
  }

  /** Why the log is full, or why days cannot be created or dropped, as a message. */
  get problem(): string | undefined {
    return this.#fullReason ?? this.failure;
  }

  /**
   * The last day on which a request can have ended: tomorrow, to allow for a small error of the wall clock. Undefined while the wall clock
   * is not trusted.
   */
  lastDay(): string | undefined {
    return this.#clock.isTrusted() ? addDays(this.today, 1) : undefined;
  }

  /** Counts written requests, or bytes of bodies. */
  countWritten(requests: number, bytes = 0): void {
    this.#unmeasuredBytes += requests * BYTES_PER_REQUEST + bytes;
  }

  /** The day before which all days have expired, if they have not been dropped today. Undefined while the wall clock is not trusted. */
  firstUnexpired(): string | undefined {
    const isTrusted = this.#clock.isTrusted();
    if (this.today === this.#droppedOn) return undefined;
    // The wall clock does not matter if all days are dropped.
    if (!this.isOn) return "~";
    return isTrusted ? addDays(this.today, -this.#options.days) : undefined;
  }

  /** Notes that the expired days have been dropped. */
  noteDropped(): void {
    this.#droppedOn = this.today;
  }

  /** Whether the size of the log may have changed by much. */
  isMeasureDue(): boolean {
    if (!this.isOn) return false;
    return this.today !== this.#measuredOn || this.#unmeasuredBytes >= MEASURE_EVERY_BYTES || performance.now() >= this.#measureAtMs;
  }

  /** The day before which all days must be dropped, because all together are too large. `sizes` has the bytes of each day, in order. */
  firstThatFits(sizes: ReadonlyMap<string, number>): string {
    const { today } = this;
    const { maxBytes } = this.#options;
    this.#measuredOn = today;
    this.#measureAtMs = performance.now() + MEASURE_EVERY_MS;
    this.#unmeasuredBytes = 0;
    let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    let first = "";
    for (const [day, size] of sizes) {
      if (bytes <= maxBytes || day >= today) break;
      bytes -= size;
      first = addDays(day, 1);
    }
    this.#fullReason = bytes <= maxBytes ? undefined : `today's requests alone take ${bytes} bytes, above the limit of ${maxBytes}`;
    return first;
  }
}
