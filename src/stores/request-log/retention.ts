import { addDays, dayOf, type LogFolder } from "./days/log-folder.ts";
import { TrustedWallClock, type Clocks } from "./trusted-wall-clock.ts";

/** What a request takes, about: enough to know when to look how much it really is. */
const BYTES_A_REQUEST = 300;
const LOOK_EVERY_BYTES = 1024 * 1024;
const LOOK_EVERY_MS = 10_000;

export interface RetentionOptions extends Clocks {
  readonly folder: LogFolder;
  /** A day is kept until it has been over for so many days. */
  readonly days: number;
  /** What all days together may have. */
  readonly maxBytes: number;
  /** A day is gone. */
  readonly forget: (day: string) => void;
}

/** Sees to it that the log stays within its days and its bytes. Days are dropped as a whole, the oldest first. */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #clock: TrustedWallClock;
  #today = "";
  /** The day on which what is too old was dropped last. */
  #droppedOn = "";
  #unseenBytes = 0;
  #lookAt = 0;
  #complaint: string | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#clock = new TrustedWallClock(options);
  }

  /** Whether today's requests alone have all the room that there may be. */
  get isFull(): boolean {
    return this.#complaint !== undefined;
  }

  /** The same, in words. */
  get complaint(): string | undefined {
    return this.#complaint;
  }

  /** So many requests have been written, or so many bytes beside them. */
  use(requests: number, bytes = 0): void {
    this.#unseenBytes += requests * BYTES_A_REQUEST + bytes;
  }

  /** Drops what is too old or too much. Cheap where nothing can have changed. */
  keep(): void {
    const today = dayOf(this.#options.nowMs());
    this.#dropOld(today);
    const isTimeToLook = this.#unseenBytes >= LOOK_EVERY_BYTES || (this.isFull && performance.now() >= this.#lookAt);
    if (today !== this.#today || isTimeToLook) this.#measure(today);
    this.#today = today;
  }

  /** The last day that a request can have ended on; undefined while the clock may be wrong. Tomorrow is still a clock's small mistake. */
  lastDay(): string | undefined {
    return this.#clock.isTrusted() ? addDays(dayOf(this.#options.nowMs()), 1) : undefined;
  }

  #dropOld(today: string): void {
    const { days, folder } = this.#options;
    // With none, all go, and it does not matter which day it is.
    if (today === this.#droppedOn || (days > 0 && !this.#clock.isTrusted())) return;
    this.#forget(folder.dropBefore(days === 0 ? "~" : addDays(today, -days)));
    this.#droppedOn = today;
  }

  #measure(today: string): void {
    const { folder, maxBytes } = this.#options;
    const sizes = folder.sizes();
    let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const spared = [...sizes].filter(([day]) => {
      if (bytes <= maxBytes || day >= today) return true;
      bytes -= sizes.get(day)!;
      return false;
    });
    if (spared.length < sizes.size) this.#forget(folder.dropBefore(spared[0]?.[0] ?? today));
    this.#complaint = bytes <= maxBytes ? undefined : `today's requests alone have ${bytes} bytes, and all may have ${maxBytes}`;
    this.#unseenBytes = 0;
    this.#lookAt = performance.now() + LOOK_EVERY_MS;
  }

  #forget(days: readonly string[]): void {
    for (const day of new Set(days)) this.#options.forget(day);
  }
}
