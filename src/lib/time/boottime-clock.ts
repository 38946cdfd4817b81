/** The smallest jump that counts as a suspension: larger than the usual corrections of a wall clock. */
const MIN_SUSPENSION_MS = 1000;

/**
 * A clock like CLOCK_BOOTTIME of Linux, which Bun does not offer: monotonic, and it runs on while the machine is suspended, when the
 * monotonic clock stops. A suspension is detected as a jump of the wall clock ahead of the monotonic clock. A wall clock that is set ahead
 * looks the same, so use this clock only if it is harmless that more time seems to have passed.
 */
export class BoottimeClock {
  readonly #monotonicMs: () => number;
  readonly #wallMs: () => number;
  #aheadMs: number;
  #suspendedMs = 0;

  constructor(monotonicMs: () => number = () => performance.now(), wallMs: () => number = () => Date.now()) {
    this.#monotonicMs = monotonicMs;
    this.#wallMs = wallMs;
    this.#aheadMs = wallMs() - monotonicMs();
  }

  readonly nowMs = (): number => {
    const monotonicMs = this.#monotonicMs();
    const aheadMs = this.#wallMs() - monotonicMs;
    if (aheadMs - this.#aheadMs > MIN_SUSPENSION_MS) this.#suspendedMs += aheadMs - this.#aheadMs;
    this.#aheadMs = aheadMs;
    return monotonicMs + this.#suspendedMs;
  };
}
