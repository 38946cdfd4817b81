/** A body in parts that are not as RFC 9112 §7.1 has them: where it ends cannot be told. */
export class BadChunks extends Error {}

/** The size of a part with its extensions, or a trailer. Nobody who means well comes near. */
const MAX_LINE_BYTES = 4096;
const MAX_TRAILERS = 64;

const CR = 0x0d;
const LF = 0x0a;
/** In hexadecimal digits: far more than any body may have, and exact in a double. */
const MAX_SIZE_DIGITS = 12;
/** As a header is written (RFC 9112 §5). A request that passes for one would be somebody else's next. */
const TRAILER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*$/;

/**
 * Takes a body apart that comes in parts, wherever the network has split them. Extensions and trailers are dropped. Every line must
 * end as the standard says: a reader that is content with less sees other parts than its neighbour does.
 */
export class ChunkedBody {
  /** What is left of the part under way. */
  #left = 0;
  #step: "size" | "data" | "after data" | "trailer" = "size";
  #line = "";
  #trailers = 0;
  #isEnded = false;

  /** Whether the last part, and what follows it, is there. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Hands the data in these bytes on, and says how many of them belong to this body. What `take` gets is part of `bytes`. */
  feed(bytes: Uint8Array, take: (piece: Uint8Array) => void): number {
    let at = 0;
    while (at < bytes.length && !this.#isEnded) {
      if (this.#step !== "data") {
        at = this.#readLine(bytes, at);
        continue;
      }
      const piece = bytes.subarray(at, at + this.#left);
      at += piece.length;
      this.#left -= piece.length;
      if (this.#left === 0) this.#step = "after data";
      take(piece);
    }
    return at;
  }

  /** Takes the rest of a line in, and gives the place behind it. */
  #readLine(bytes: Uint8Array, start: number): number {
    const end = bytes.indexOf(LF, start);
    const stop = end < 0 ? bytes.length : end + 1;
    this.#line += Buffer.from(bytes.buffer, bytes.byteOffset + start, stop - start).toString("latin1");
    if (this.#line.length > MAX_LINE_BYTES) throw new BadChunks("a line in a body of parts is too long");
    if (end < 0) return stop;
    const line = this.#line;
    this.#line = "";
    if (line.charCodeAt(line.length - 2) !== CR) throw new BadChunks("a line in a body of parts does not end as it should");
    this.#took(line.slice(0, -2));
    return stop;
  }

  #took(line: string): void {
    if (this.#step === "size") this.#beginPart(sizeIn(line));
    else if (this.#step === "after data") this.#endPart(line);
    else if (line === "") this.#isEnded = true;
    else this.#dropTrailer(line);
  }

  #dropTrailer(line: string): void {
    if (!TRAILER.test(line)) throw new BadChunks("a trailer is not a name, a colon and a value");
    if (++this.#trailers > MAX_TRAILERS) throw new BadChunks("a body of parts has too many trailers");
  }

  #beginPart(size: number): void {
    this.#left = size;
    this.#step = size === 0 ? "trailer" : "data";
  }

  #endPart(line: string): void {
    if (line !== "") throw new BadChunks("a part of the body is longer than it says");
    this.#step = "size";
  }
}

/** Extensions are allowed behind a semicolon; nothing else is. */
function sizeIn(line: string): number {
  const digits = /^([0-9A-Fa-f]+)[ \t]*(?:;[\t -~\x80-\xff]*)?$/.exec(line)?.[1];
  if (digits === undefined || digits.length > MAX_SIZE_DIGITS) throw new BadChunks("a part of the body does not say how long it is");
  return Number.parseInt(digits, 16);
}
