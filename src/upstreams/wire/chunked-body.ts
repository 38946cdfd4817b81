import type { BodyFraming } from "./body-framing.ts";
import { notHttp } from "./wire-error.ts";

const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const SEMICOLON = 0x3b;

/** Zeros in front are allowed, but not without end. */
const MAX_SIZE_DIGITS = 16;

/** Several times what is read of any reply: nobody who means it announces a larger part. */
const MAX_PART_BYTES = 256 * 1024 * 1024;

/** All of a body's extensions and trailers together. They mean nothing to us, and real servers send none. */
const MAX_DROPPED_BYTES = 16 * 1024;

/** What the next byte belongs to. */
type Place = "size" | "extension" | "size end" | "data" | "data CR" | "data LF" | "line" | "trailer" | "trailer end" | "last LF" | "end";

/** A body in parts, each with its size before it (RFC 9112 §7.1). Line ends are CRLF: who takes less can be lied to. */
export class ChunkedBody implements BodyFraming {
  readonly announced = Number.NaN;
  readonly endsByClose = false;
  start = 0;
  end = 0;
  excess = 0;
  #place: Place = "size";
  #size = 0;
  #digits = 0;
  #left = 0;
  #dropped = 0;

  get isWhole(): boolean {
    return this.#place === "end";
  }

  /** Moves the data of the parts together, so that what came at once is given as one. */
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
      case "extension":
        if (byte !== CR) return this.#drop(byte);
        this.#place = "size end";
        return;
      case "size end":
        this.#require(byte, LF, this.#size === 0 ? "line" : "data");
        this.#left = this.#size;
        this.#size = 0;
        this.#digits = 0;
        return;
      case "data CR":
        return this.#require(byte, CR, "data LF");
      case "data LF":
        return this.#require(byte, LF, "size");
      case "line":
        if (byte !== CR) this.#drop(byte);
        this.#place = byte === CR ? "last LF" : "trailer";
        return;
      case "trailer":
        if (byte !== CR) return this.#drop(byte);
        this.#place = "trailer end";
        return;
      case "trailer end":
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
    if (digit >= 0) {
      this.#size = this.#size * 16 + digit;
      this.#digits++;
      if (this.#digits > MAX_SIZE_DIGITS || this.#size > MAX_PART_BYTES) throw notHttp("a part that is too large");
    } else if (this.#digits === 0) throw notHttp("a part without a size");
    else if (byte === CR) this.#place = "size end";
    else if (byte === SEMICOLON || byte === SPACE || byte === TAB) this.#place = "extension";
    else throw notHttp("a part whose size is none");
  }

  #drop(byte: number): void {
    if (byte < SPACE && byte !== TAB) throw notHttp("a control character beside a part");
    if (++this.#dropped > MAX_DROPPED_BYTES) throw notHttp(`more than ${MAX_DROPPED_BYTES} bytes beside its parts`);
  }

  #require(byte: number, wanted: number, next: Place): void {
    if (byte !== wanted) throw notHttp("a part without its line end");
    this.#place = next;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
