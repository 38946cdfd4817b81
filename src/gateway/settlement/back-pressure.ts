/**
 * For so long after a caller held a stream up, it may be the reason why the upstream fails: what the upstream had sent before it gave up
 * is read first. Without a hold-up for longer, the upstream has been read as fast as it sends.
 */
const CATCH_UP_MS = 10_000;

/** Whether the upstream of a stream had to wait for the caller, who was not reading. */
export class BackPressure {
  #isHeldUp = false;
  #heldUpUntil = Number.NEGATIVE_INFINITY;

  /** The caller has no room for more, so the upstream is not read. */
  begin(): void {
    this.#isHeldUp = true;
  }

  /** The caller has room, and the upstream is read again. */
  end(): void {
    if (!this.#isHeldUp) return;
    this.#isHeldUp = false;
    this.#heldUpUntil = performance.now();
  }

  /** Whether it could be the reason for a failure of the upstream that is noticed now. */
  get mayCauseFailure(): boolean {
    return this.#isHeldUp || performance.now() - this.#heldUpUntil < CATCH_UP_MS;
  }
}
