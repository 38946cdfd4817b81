const NEWLINE = 0x0a;

/** Thrown for a line that is longer than allowed. */
class LineTooLong extends Error {
  override name = "LineTooLong";
}

/** Splits a stream of bytes into lines of UTF-8 text. */
export class LineReader {
  readonly #maxBytes: number;
  /** The beginning of a line whose end has not arrived yet. */
  #partial: Uint8Array[] = [];
  #partialBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that are complete with these bytes. Throws `LineTooLong`. */
  read(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      lines.push(this.#complete(bytes.subarray(from, end)));
      from = end + 1;
    }
    // The bytes are copied, because the socket reuses its memory.
    if (from < bytes.length) this.#keep(Buffer.from(bytes.subarray(from)));
    return lines;
  }

  #keep(bytes: Uint8Array): void {
    this.#partialBytes += bytes.length;
    if (this.#partialBytes > this.#maxBytes) throw new LineTooLong(`a line has more than ${this.#maxBytes} bytes`);
    this.#partial.push(bytes);
  }

  #complete(last: Uint8Array): string {
    if (this.#partial.length === 0) return Buffer.from(last.buffer, last.byteOffset, last.length).toString();
    this.#keep(last);
    const line = Buffer.concat(this.#partial).toString();
    this.#partial = [];
    this.#partialBytes = 0;
    return line;
  }
}
