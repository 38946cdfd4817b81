export interface Summary {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** All samples, neither rounded nor in buckets, for exact percentiles. */
export class Samples {
  #values = new Float64Array(1024);
  #count = 0;

  add(value: number): void {
    if (this.#count === this.#values.length) this.#grow();
    this.#values[this.#count++] = value;
  }

  /** Null without samples. */
  summary(): Summary | null {
    if (this.#count === 0) return null;
    const sorted = this.#values.subarray(0, this.#count).toSorted();
    const at = (share: number): number => round(sorted[Math.min(this.#count - 1, Math.floor(share * this.#count))]!);
    const mean = round(sorted.reduce((sum, value) => sum + value, 0) / this.#count);
    return { count: this.#count, mean, min: at(0), p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) };
  }

  #grow(): void {
    const values = new Float64Array(this.#values.length * 2);
    values.set(this.#values);
    this.#values = values;
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
