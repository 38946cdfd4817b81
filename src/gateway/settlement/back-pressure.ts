/**
 * For so long after back-pressure, it may be the reason for a failure of the upstream: the bytes that the upstream had sent before it gave up
 * are read first. After that, the upstream has been read as fast as it sends.
 */
const CATCH_UP_MS = 10_000;

/** Back-pressure on a stream: whether the upstream had to wait for a client that was not reading. */
export class BackPressure {
  #isStalled = false;
  #stalledUntil = Number.NEGATIVE_INFINITY;

  /** The client does not keep up, so the upstream is not read. */
  begin(): void {
    this.#isStalled = true;
  }

  /** The client reads, and so is the upstream read again. */
  end(): void {
    if (!this.#isStalled) return;
    this.#isStalled = false;
    this.#stalledUntil = performance.now();
  }

  /** Whether it may be the reason for a failure of the upstream at this moment. */
  get mayCauseFailure(): boolean {
    return this.#isStalled || performance.now() - this.#stalledUntil < CATCH_UP_MS;
  }
}
