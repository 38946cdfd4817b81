/** Each bin's upper bound is 9 % above its lower bound, so that its middle differs by less than 4.5 % from each value in it. */
const BINS_PER_DOUBLING = 8;
/** Shorter times are counted in the first bin, longer times than the upper limit in the last. */
const MIN_MS = 0.1;
const MAX_MS = 3_600_000;
const BINS = Math.ceil(Math.log2(MAX_MS / MIN_MS) * BINS_PER_DOUBLING) + 2;

/** The bin of a duration. */
export function binOf(ms: number): number {
  const bin = Math.floor(Math.log2(ms / MIN_MS) * BINS_PER_DOUBLING) + 1;
  return Math.min(Math.max(bin, 0), BINS - 1);
}

/** Large enough for all bins and counts. */
const scratch = new Uint8Array(BINS * 2 * 5);

/** A histogram of durations with logarithmic bins, for percentiles. Histograms can be merged. */
export class Histogram {
  readonly #counts = new Uint32Array(BINS);
  /** The range of bins with counts, end exclusive: usually there are few, and the others need not be visited. */
  #first = BINS;
  #end = 0;

  add(bin: number, count = 1): void {
    this.#counts[bin]! += count;
    if (bin < this.#first) this.#first = bin;
    if (bin >= this.#end) this.#end = bin + 1;
  }

  merge(other: Histogram): void {
    const counts = other.#counts;
    for (let bin = other.#first; bin < other.#end; bin++) if (counts[bin]! > 0) this.add(bin, counts[bin]);
  }

  /** The quantiles, one for each share. The histogram must not be empty. */
  quantiles(shares: readonly number[]): number[] {
    let total = 0;
    for (let bin = this.#first; bin < this.#end; bin++) total += this.#counts[bin]!;
    return shares.map((share) => middleOf(this.#binAtRank(Math.ceil(share * total))));
  }

  /** For each bin with a count: the number of empty bins before it, and the count, as variable-length integers (LEB128). */
  encode(): Uint8Array {
    const counts = this.#counts;
    let length = 0;
    let next = 0;
    for (let bin = this.#first; bin < this.#end; bin++) {
      const count = counts[bin]!;
      if (count === 0) continue;
      length = putNumber(length, bin - next);
      length = putNumber(length, count);
      next = bin + 1;
    }
    return scratch.slice(0, length);
  }

  /** Merges an encoded histogram. */
  mergeEncoded(bytes: Uint8Array): void {
    const counts = this.#counts;
    let bin = -1;
    let value = 0;
    let scale = 1;
    let isCount = false;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
      if (byte >= 0x80) continue;
      if (isCount) counts[bin]! += value;
      else bin += value + 1;
      if (bin < this.#first) this.#first = bin;
      isCount = !isCount;
      value = 0;
      scale = 1;
    }
    if (bin >= this.#end) this.#end = bin + 1;
  }

  #binAtRank(rank: number): number {
    let bin = this.#first;
    for (let passed = this.#counts[bin]!; passed < rank; passed += this.#counts[bin]!) bin++;
    return bin;
  }
}

/** The middle of a bin in milliseconds, rounded to the microsecond. */
function middleOf(bin: number): number {
  return Math.round(MIN_MS * 2 ** ((bin - 0.5) / BINS_PER_DOUBLING) * 1000) / 1000;
}

/** Appends a number to `scratch`, and returns the next offset. */
function putNumber(at: number, value: number): number {
  for (; value >= 0x80; value = Math.floor(value / 0x80)) scratch[at++] = (value % 0x80) | 0x80;
  scratch[at] = value;
  return at + 1;
}
