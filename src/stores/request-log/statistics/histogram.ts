/** A bin ends 9 % above where it begins, so that its middle is less than 4.5 % from whatever is in it. */
const BINS_A_DOUBLING = 8;
/** What is shorter is in the first bin, what is longer in the last. */
const LEAST_MS = 0.1;
const MOST_MS = 3_600_000;
const BINS = Math.ceil(Math.log2(MOST_MS / LEAST_MS) * BINS_A_DOUBLING) + 2;

/** The bin that a time belongs to. */
export function binOf(ms: number): number {
  const bin = Math.floor(Math.log2(ms / LEAST_MS) * BINS_A_DOUBLING) + 1;
  return Math.min(Math.max(bin, 0), BINS - 1);
}

/** How many of some times are about as long as each other: what is needed to tell quantiles, also of several histograms together. */
export class Histogram {
  readonly #counts = new Uint32Array(BINS);

  add(bin: number): void {
    this.#counts[bin]!++;
  }

  merge(other: Histogram): void {
    for (let bin = 0; bin < BINS; bin++) this.#counts[bin]! += other.#counts[bin]!;
  }

  /** The times that so large a share of all are at most as long as, one for each share; undefined where there are none. */
  quantiles(shares: readonly number[]): number[] | undefined {
    const total = this.#counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return undefined;
    return shares.map((share) => middleOf(this.#binAtRank(Math.ceil(share * total))));
  }

  /** Of each bin that has any, how many bins were passed over, and its count: as numbers of seven bits a byte. Null where there are none. */
  encode(): Uint8Array | null {
    const bytes: number[] = [];
    let next = 0;
    for (let bin = 0; bin < BINS; bin++) {
      const count = this.#counts[bin]!;
      if (count === 0) continue;
      pushVarint(bytes, bin - next);
      pushVarint(bytes, count);
      next = bin + 1;
    }
    return bytes.length > 0 ? Uint8Array.from(bytes) : null;
  }

  /** Adds what another was encoded as. */
  mergeEncoded(bytes: Uint8Array): void {
    let [bin, at] = [-1, 0];
    const next = (): number => {
      let [value, scale] = [0, 1];
      for (; bytes[at]! >= 0x80; scale *= 0x80) value += (bytes[at++]! & 0x7f) * scale;
      return value + bytes[at++]! * scale;
    };
    while (at < bytes.length) {
      bin += next() + 1;
      this.#counts[bin]! += next();
    }
  }

  #binAtRank(rank: number): number {
    let passed = 0;
    return this.#counts.findIndex((count) => (passed += count) >= rank);
  }
}

/** In milliseconds, to the microsecond. */
function middleOf(bin: number): number {
  return Math.round(LEAST_MS * 2 ** ((bin - 0.5) / BINS_A_DOUBLING) * 1000) / 1000;
}

function pushVarint(bytes: number[], value: number): void {
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  bytes.push(value);
}
