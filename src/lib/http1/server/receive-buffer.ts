const EMPTY = Buffer.alloc(0);

/**
 * The received bytes of a body in one contiguous buffer. A list of chunks would be simpler, but a client that sends single bytes would
 * cost a hundred bytes of memory for each.
 */
export class ReceiveBuffer {
  /** The announced length: the buffer never grows beyond it. */
  readonly #maxLength: number;
  #bytes: Buffer = EMPTY;
  #length = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    // Most bodies arrive in one chunk, which is used without a copy.
    if (this.#length === 0) this.#bytes = chunk;
    else this.#append(chunk);
    this.#length += chunk.length;
  }

  /** Returns all bytes, and empties the buffer. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = EMPTY;
    this.#length = 0;
    return bytes;
  }

  #append(chunk: Buffer): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(needed * 2, this.#maxLength));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
  }
}
