const CR = 13;
const LF = 10;
const SEMICOLON = 59;

/** The state of the parser (RFC 9112 §7.1). Trailers are not expected: the line after the last chunk must be empty. */
type Place = "size" | "extension" | "size-end" | "data" | "data-end-cr" | "data-end-lf" | "end-cr" | "end-lf" | "done";

/** Decodes a chunked body incrementally. */
export class ChunkedReader {
  #place: Place = "size";
  #size = 0;
  #digits = 0;

  get isDone(): boolean {
    return this.#place === "done";
  }

  /** Passes on the data of the chunks. Throws if the framing is invalid, or if bytes follow the end. */
  take(bytes: Buffer, onData: (data: Buffer) => void): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#place === "data") {
        const end = Math.min(bytes.length, at + this.#size);
        onData(bytes.subarray(at, end));
        this.#size -= end - at;
        at = end;
        if (this.#size === 0) this.#place = "data-end-cr";
      } else {
        this.#step(bytes[at++]!);
      }
    }
  }

  #step(byte: number): void {
    if (this.#place === "size") return this.#readSize(byte);
    if (this.#place === "extension") {
      if (byte === CR) this.#place = "size-end";
      return;
    }
    if (this.#place === "size-end") return this.#expect(byte, LF, this.#size > 0 ? "data" : "end-cr");
    if (this.#place === "data-end-cr") return this.#expect(byte, CR, "data-end-lf");
    if (this.#place === "data-end-lf") return this.#startSize(byte);
    if (this.#place === "end-cr") return this.#expect(byte, CR, "end-lf");
    if (this.#place === "end-lf") return this.#expect(byte, LF, "done");
    throw new Error("bytes behind the end of the body");
  }

  #startSize(byte: number): void {
    this.#expect(byte, LF, "size");
    this.#size = 0;
    this.#digits = 0;
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#size = this.#size * 16 + digit;
      this.#digits++;
    } else if (this.#digits > 0 && byte === CR) this.#place = "size-end";
    else if (this.#digits > 0 && byte === SEMICOLON) this.#place = "extension";
    else throw new Error("a chunk without a size");
  }

  #expect(byte: number, expected: number, next: Place): void {
    if (byte !== expected) throw new Error("a broken chunk");
    this.#place = next;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
