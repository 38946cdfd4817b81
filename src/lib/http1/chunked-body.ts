/** A chunked body that violates RFC 9112 §7.1: its end cannot be found. */
export class BadChunks extends Error {}

const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const DEL = 0x7f;

/** Leading zeros are allowed, up to this many digits. */
const MAX_SIZE_DIGITS = 12;

/** The largest body that can be configured: no legitimate chunk is larger. */
const MAX_CHUNK_BYTES = 1024 * 1024 * 1024;

/** The maximum of a body's chunk extensions and trailers, which are ignored. */
const MAX_DROPPED_BYTES = 16 * 1024;

/** The bytes of a header name (RFC 9110 §5.1). */
const NAME_BYTES = new Set(Buffer.from("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"));

/** The part of the body that the next byte belongs to. */
type State =
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
 * An incremental parser of chunked bodies (RFC 9112 §7.1). Extensions and trailers are dropped. It is strict about CR LF and the syntax of
 * trailers: a lenient parser could see other chunks than the proxy in front of it, followed by a smuggled request.
 */
export class ChunkedBody {
  /** The start and end of the data within the bytes that were parsed last. */
  start = 0;
  end = 0;
  /** The number of those bytes that follow the end of the body. */
  excess = 0;
  #state: State = "size";
  #size = 0;
  #digits = 0;
  #left = 0;
  #dropped = 0;

  /** Whether the last chunk and the trailers were received. */
  get isComplete(): boolean {
    return this.#state === "end";
  }

  /** Parses these bytes from an offset. The data is moved within the bytes so that it is contiguous. */
  parse(bytes: Uint8Array, from: number): void {
    let start = from;
    let end = from;
    let at = from;
    while (at < bytes.length && this.#state !== "end") {
      if (this.#state !== "data") {
        this.#step(bytes[at++]!);
        continue;
      }
      const stop = Math.min(at + this.#left, bytes.length);
      if (start === end) start = end = at;
      else bytes.copyWithin(end, at, stop);
      end += stop - at;
      this.#left -= stop - at;
      at = stop;
      if (this.#left === 0) this.#state = "data CR";
    }
    this.start = start;
    this.end = end;
    this.excess = bytes.length - at;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case "size":
        return this.#sizeByte(byte);
      case "behind size":
        return this.#behindSize(byte);
      case "extension":
        return this.#dropUntilLineEnd(byte, "size LF");
      case "size LF":
        return this.#beginChunk(byte);
      case "data CR":
        return this.#require(byte, CR, "data LF");
      case "data LF":
        return this.#require(byte, LF, "size");
      case "line":
        if (byte !== CR) return this.#nameByte(byte);
        this.#state = "last LF";
        return;
      case "trailer name":
        if (byte !== COLON) return this.#nameByte(byte);
        this.#state = "trailer value";
        return this.#drop();
      case "trailer value":
        return this.#dropUntilLineEnd(byte, "trailer LF");
      case "trailer LF":
        return this.#require(byte, LF, "line");
      case "last LF":
        return this.#require(byte, LF, "end");
      case "data":
      case "end":
        throw new Error("unreachable state");
    }
  }

  #sizeByte(byte: number): void {
    const digit = hexDigit(byte);
    if (digit < 0) {
      if (this.#digits === 0) throw new BadChunks("a chunk has no size");
      return this.#behindSize(byte);
    }
    this.#size = this.#size * 16 + digit;
    this.#digits++;
    if (this.#digits > MAX_SIZE_DIGITS || this.#size > MAX_CHUNK_BYTES) throw new BadChunks("a chunk is too large");
  }

  #behindSize(byte: number): void {
    if (byte === CR) this.#state = "size LF";
    else if (byte === SEMICOLON) this.#state = "extension";
    else if (byte === SPACE || byte === TAB) this.#state = "behind size";
    else throw new BadChunks("a chunk has no size");
    if (byte !== CR) this.#drop();
  }

  #beginChunk(byte: number): void {
    this.#require(byte, LF, this.#size === 0 ? "line" : "data");
    this.#left = this.#size;
    this.#size = 0;
    this.#digits = 0;
  }

  #nameByte(byte: number): void {
    if (!NAME_BYTES.has(byte)) throw new BadChunks("a trailer is not a name, a colon and a value");
    this.#state = "trailer name";
    this.#drop();
  }

  #dropUntilLineEnd(byte: number, next: State): void {
    if (byte === CR) {
      this.#state = next;
      return;
    }
    if ((byte < SPACE && byte !== TAB) || byte === DEL) throw new BadChunks("a chunk extension or trailer has a control character");
    this.#drop();
  }

  #drop(): void {
    if (++this.#dropped > MAX_DROPPED_BYTES) throw new BadChunks(`more than ${MAX_DROPPED_BYTES} bytes of chunk extensions and trailers`);
  }

  #require(byte: number, wanted: number, next: State): void {
    if (byte !== wanted) throw new BadChunks("a chunk or a line does not end in CR LF");
    this.#state = next;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
