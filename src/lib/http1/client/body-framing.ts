import { BadChunks, ChunkedBody } from "../chunked-body.ts";
import type { ResponseHead } from "./response-head.ts";
import { invalidResponse } from "./connection-error.ts";

/** Parses the body after a response head, and finds its end. */
interface BodyFraming {
  /** Parses these bytes from an offset. The data is from `start` to `end`; it may have been moved there. */
  parse(bytes: Uint8Array, from: number): void;
  readonly start: number;
  readonly end: number;
  readonly isComplete: boolean;
  /** The number of bytes that follow the end of the body, although no request was sent for them. */
  readonly excess: number;
  /** The announced length; NaN if there is none. */
  readonly announced: number;
  /** Whether the end of the connection is the end of the body. */
  readonly endsByClose: boolean;
}

/** The framing of a response, and how long its connection can be reused. */
export interface ResponseFraming {
  readonly body: BodyFraming;
  /** How long the connection may stay idle in the pool after the body; 0 if it must be closed. */
  readonly keepAliveMs: number;
}

/** The framing of the body after a head (RFC 9112 §6.3). Throws if the head contradicts itself. */
export function framingOf({ status, minorVersion, headers: { lines } }: ResponseHead): ResponseFraming {
  let length: string | undefined;
  let coding: string | undefined;
  let isClosed = minorVersion === 0;
  let keepAliveMs = Number.POSITIVE_INFINITY;
  for (let at = 0, end = 0; at < lines.length; at = end + 2) {
    end = lines.indexOf("\r\n", at);
    const colon = lines.indexOf(":", at);
    // Most header names have another length, and are skipped here.
    if (!DECISIVE_LENGTHS.has(colon - at)) continue;
    const name = lines.slice(at, colon).toLowerCase();
    const value = lines.slice(colon + 1, end).trim();
    if (name === "content-length") length = length === undefined ? value : `${length},${value}`;
    else if (name === "transfer-encoding") coding = coding === undefined ? value : `${coding},${value}`;
    else if (name === "connection") isClosed = /\bclose\b/i.test(value) || (isClosed && !/\bkeep-alive\b/i.test(value));
    else if (name === "keep-alive") keepAliveMs = keepAliveOf(value);
  }
  const body = bodyOf(status, coding, length);
  // Both framings together, or chunks in HTTP/1.0, may be an attempt at response smuggling (RFC 9112 §6.1 and §11.1).
  const isSuspicious = coding !== undefined && (length !== undefined || minorVersion === 0);
  return { body, keepAliveMs: body.endsByClose || isSuspicious || isClosed ? 0 : keepAliveMs };
}

/** The lengths of the header names that decide the framing and the reuse of the connection. */
const DECISIVE_LENGTHS = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"].map((name) => name.length));

function bodyOf(status: number, coding: string | undefined, length: string | undefined): BodyFraming {
  if (status === 204 || status === 304) return new FixedLengthFraming(0);
  if (coding !== undefined) {
    if (!/^chunked$/i.test(coding)) throw invalidResponse("a transfer coding that was not requested");
    return new ChunkedFraming();
  }
  return length === undefined ? new CloseDelimitedFraming() : new FixedLengthFraming(readLength(length));
}

/** A length may be repeated, but only with the same value (RFC 9110 §8.6). */
function readLength(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  const [first, ...more] = text.split(",").map((each) => each.trim());
  if (!/^[0-9]{1,15}$/.test(first!)) throw invalidResponse("an invalid length");
  if (more.some((each) => each !== first)) throw invalidResponse("two lengths that differ");
  return Number(first);
}

/** `Keep-Alive: timeout=5`: the server closes the connection after that time, so the connection is not used in the last second before. */
function keepAliveOf(value: string): number {
  const seconds = /\btimeout=([0-9]{1,9})\b/i.exec(value);
  return seconds ? Math.max(0, Number(seconds[1]) * 1000 - 1000) : Number.POSITIVE_INFINITY;
}

/** A body with a Content-Length. */
class FixedLengthFraming implements BodyFraming {
  readonly announced: number;
  readonly endsByClose = false;
  start = 0;
  end = 0;
  excess = 0;
  #left: number;

  constructor(length: number) {
    this.announced = length;
    this.#left = length;
  }

  get isComplete(): boolean {
    return this.#left === 0;
  }

  parse(bytes: Uint8Array, from: number): void {
    this.start = from;
    this.end = Math.min(from + this.#left, bytes.length);
    this.#left -= this.end - from;
    this.excess = bytes.length - this.end;
  }
}

/** A chunked body. */
class ChunkedFraming extends ChunkedBody implements BodyFraming {
  readonly announced = Number.NaN;
  readonly endsByClose = false;

  override parse(bytes: Uint8Array, from: number): void {
    try {
      super.parse(bytes, from);
    } catch (error) {
      throw error instanceof BadChunks ? invalidResponse(error.message) : error;
    }
  }
}

/** A body that ends when the connection is closed. */
class CloseDelimitedFraming implements BodyFraming {
  readonly announced = Number.NaN;
  readonly endsByClose = true;
  readonly isComplete = false;
  readonly excess = 0;
  start = 0;
  end = 0;

  parse(bytes: Uint8Array, from: number): void {
    this.start = from;
    this.end = bytes.length;
  }
}
