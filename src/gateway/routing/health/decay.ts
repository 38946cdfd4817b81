/** The part that remains after exponential decay. */
export function decay(elapsedMs: number, scaleMs: number): number {
  return Math.exp(-elapsedMs / scaleMs);
}

/** A count with exponential decay: older additions count less. */
export class DecayingCount {
  readonly #scaleMs: number;
  readonly #nowMs: () => number;
  #value = 0;
  #atMs = 0;

  constructor(scaleMs: number, nowMs: () => number) {
    this.#scaleMs = scaleMs;
    this.#nowMs = nowMs;
  }

  get value(): number {
    return this.#value * decay(this.#nowMs() - this.#atMs, this.#scaleMs);
  }

  add(count: number): void {
    this.#value = this.value + count;
    this.#atMs = this.#nowMs();
  }

  clear(): void {
    this.#value = 0;
  }
}
