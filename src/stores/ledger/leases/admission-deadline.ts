/**
 * How long a process admits requests after the last call that the authority answered. It limits how stale keys, prices and credit can be.
 */
export const ADMIT_MS = 10_000;

/**
 * The time until which a gateway process may admit requests: `ADMIT_MS` after it sent the last call that was answered, by its monotonic
 * clock. The time of sending counts, because the answer may have been true only then. The clock must not stop while the machine is
 * suspended.
 */
export class AdmissionDeadline {
  readonly #admitMs: number;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(admitMs: number = ADMIT_MS) {
    this.#admitMs = admitMs;
  }

  answered(sentAtMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, sentAtMs + this.#admitMs);
  }

  mayAdmit(nowMs: number): boolean {
    return nowMs < this.#untilMs;
  }

  /** Stops the admission of requests: the process is fenced. */
  expire(): void {
    this.#untilMs = Number.NEGATIVE_INFINITY;
  }
}
