const NOTHING = Buffer.alloc(0);

/**
 * What has come of a body, in one piece. A list of the pieces would be simpler, and a caller that sends them a byte at a time would
 * have us keep a hundred bytes for each.
 */
export class ReceiveBuffer {
  /** No more will come: there is never room for more than this. */
  readonly #maxLength: number;
  #bytes: Buffer = NOTHING;
  #length = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    // Most bodies come in one piece, and that is kept as it is.
    if (this.#length === 0) this.#bytes = piece;
    else this.#append(piece);
    this.#length += piece.length;
  }

  /** All of it. Nothing is kept any more. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = NOTHING;
    this.#length = 0;
    return bytes;
  }

  #append(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(needed * 2, this.#maxLength));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
  }
}
