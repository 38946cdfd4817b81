/** A body in parts that are not as RFC 9112 §7.1 has them: where it ends cannot be told. */
export class BadChunks extends Error {}

const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const DEL = 0x7f;

/** Zeros in front are allowed, but not without end. */
const MAX_SIZE_DIGITS = 12;

/** As much as a body can be allowed to have: nobody who means it announces a larger part. */
const MAX_PART_BYTES = 1024 * 1024 * 1024;

/** All of a body's extensions and trailers together. They mean nothing to us, and nobody who means well comes near. */
const MAX_DROPPED_BYTES = 16 * 1024;

/** Of the name of a header (RFC 9110 §5.1). */
const NAME_BYTES = new Set(Buffer.from("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"));

/** What the next byte belongs to. */
type Place =
  | "size"
  | "behind size"
  | "extension"
  | "size LF"
  | "data"
  | "data CR"
  | "data LF"
  | "line"
  | "trailer name"
  | "trailer value"
  | "trailer LF"
  | "last LF"
  | "end";

/**
 * Takes a body apart that comes in parts, each with its size before it, wherever the network has split them (RFC 9112 §7.1).
 * Extensions and trailers are dropped. Lines end in CR LF, and trailers are written as headers are: a reader that is content with
 * less sees other parts than its neighbour does, and somebody else's request behind them.
 */
export class ChunkedBody {
  /** Where the data begins among the bytes that were cut last, and where it ends. */
  start = 0;
  end = 0;
  /** How many of those bytes came behind the end of the body. */
  excess = 0;
  #place: Place = "size";
  #size = 0;
  #digits = 0;
  #left = 0;
  #dropped = 0;

  /** Whether the last part, and what follows it, is there. */
  get isWhole(): boolean {
    return this.#place === "end";
  }

  /** Looks for the data among these bytes, from here on. It is moved together there, so that what came at once is given as one. */
  cut(bytes: Uint8Array, from: number): void {
    let start = from;
    let end = from;
    let at = from;
    while (at < bytes.length && this.#place !== "end") {
      if (this.#place !== "data") {
        this.#step(bytes[at++]!);
        continue;
      }
      const stop = Math.min(at + this.#left, bytes.length);
      if (start === end) start = end = at;
      else bytes.copyWithin(end, at, stop);
      end += stop - at;
      this.#left -= stop - at;
      at = stop;
      if (this.#left === 0) this.#place = "data CR";
    }
    this.start = start;
    this.end = end;
    this.excess = bytes.length - at;
  }

  #step(byte: number): void {
    switch (this.#place) {
      case "size":
        return this.#sizeByte(byte);
      case "behind size":
        return this.#behindSize(byte);
      case "extension":
        return this.#dropUntilLineEnd(byte, "size LF");
      case "size LF":
        return this.#beginPart(byte);
      case "data CR":
        return this.#require(byte, CR, "data LF");
      case "data LF":
        return this.#require(byte, LF, "size");
      case "line":
        if (byte !== CR) return this.#nameByte(byte);
        this.#place = "last LF";
        return;
      case "trailer name":
        if (byte !== COLON) return this.#nameByte(byte);
        this.#place = "trailer value";
        return this.#drop();
      case "trailer value":
        return this.#dropUntilLineEnd(byte, "trailer LF");
      case "trailer LF":
        return this.#require(byte, LF, "line");
      case "last LF":
        return this.#require(byte, LF, "end");
      case "data":
      case "end":
        throw new Error("this byte belongs to nobody here");
    }
  }

  #sizeByte(byte: number): void {
    const digit = hexDigit(byte);
    if (digit < 0) {
      if (this.#digits === 0) throw new BadChunks("a part does not say how long it is");
      return this.#behindSize(byte);
    }
    this.#size = this.#size * 16 + digit;
    this.#digits++;
    if (this.#digits > MAX_SIZE_DIGITS || this.#size > MAX_PART_BYTES) throw new BadChunks("a part says that it is too long");
  }

  #behindSize(byte: number): void {
    if (byte === CR) this.#place = "size LF";
    else if (byte === SEMICOLON) this.#place = "extension";
    else if (byte === SPACE || byte === TAB) this.#place = "behind size";
    else throw new BadChunks("a part does not say how long it is");
    if (byte !== CR) this.#drop();
  }

  #beginPart(byte: number): void {
    this.#require(byte, LF, this.#size === 0 ? "line" : "data");
    this.#left = this.#size;
    this.#size = 0;
    this.#digits = 0;
  }

  #nameByte(byte: number): void {
    if (!NAME_BYTES.has(byte)) throw new BadChunks("a trailer is not a name, a colon and a value");
    this.#place = "trailer name";
    this.#drop();
  }

  #dropUntilLineEnd(byte: number, next: Place): void {
    if (byte === CR) {
      this.#place = next;
      return;
    }
    if ((byte < SPACE && byte !== TAB) || byte === DEL) throw new BadChunks("a control character is beside a part");
    this.#drop();
  }

  #drop(): void {
    if (++this.#dropped > MAX_DROPPED_BYTES) throw new BadChunks(`more than ${MAX_DROPPED_BYTES} bytes are beside the parts`);
  }

  #require(byte: number, wanted: number, next: Place): void {
    if (byte !== wanted) throw new BadChunks("a part or a line does not end where it should");
    this.#place = next;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
