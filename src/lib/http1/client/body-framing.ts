import { BadChunks, ChunkedBody } from "../chunked-body.ts";
import type { ResponseHead } from "./response-head.ts";
import { invalidResponse } from "./connection-error.ts";

/** Finds the body among the bytes that follow a head, and its end. */
export interface BodyFraming {
  /** Looks for the body among these bytes, from here on. What was found is from `start` to `end`; it may have been moved there. */
  cut(bytes: Uint8Array, from: number): void;
  readonly start: number;
  readonly end: number;
  readonly isWhole: boolean;
  /** How many of the bytes came behind the end of the body, where nobody has asked for any. */
  readonly excess: number;
  /** How many bytes it has in all; NaN where nothing says so. */
  readonly announced: number;
  /** Whether the end of the connection is the end of the body. */
  readonly endsByClose: boolean;
}

/** What a head says of the body behind it, and of the connection. */
export interface Framed {
  readonly body: BodyFraming;
  /** For how long the connection may be kept when the body is whole; nothing where it may not. */
  readonly keptForMs: number;
}

/** How the body behind a head is to be read (RFC 9112 §6.3). Throws where the head contradicts itself. */
export function framingOf({ status, minorVersion, headers: { lines } }: ResponseHead): Framed {
  let length: string | undefined;
  let coding: string | undefined;
  let isClosed = minorVersion === 0;
  let keptForMs = Number.POSITIVE_INFINITY;
  for (let at = 0, end = 0; at < lines.length; at = end + 2) {
    end = lines.indexOf("\r\n", at);
    const colon = lines.indexOf(":", at);
    // Most lines have another length, and cost nothing more.
    if (!DECISIVE_LENGTHS.has(colon - at)) continue;
    const name = lines.slice(at, colon).toLowerCase();
    const value = lines.slice(colon + 1, end).trim();
    if (name === "content-length") length = length === undefined ? value : `${length},${value}`;
    else if (name === "transfer-encoding") coding = coding === undefined ? value : `${coding},${value}`;
    else if (name === "connection") isClosed = /\bclose\b/i.test(value) || (isClosed && !/\bkeep-alive\b/i.test(value));
    else if (name === "keep-alive") keptForMs = keptFor(value);
  }
  const body = bodyOf(status, coding, length);
  // Two framings at once, or parts in an HTTP that has none, may mean that somebody is being lied to (RFC 9112 §6.1 and §11.1).
  const isDoubtful = coding !== undefined && (length !== undefined || minorVersion === 0);
  return { body, keptForMs: body.endsByClose || isDoubtful || isClosed ? 0 : keptForMs };
}

/** Of the names of the headers that decide where a reply ends, and what becomes of its connection. */
const DECISIVE_LENGTHS = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"].map((name) => name.length));

function bodyOf(status: number, coding: string | undefined, length: string | undefined): BodyFraming {
  if (status === 204 || status === 304) return new AnnouncedBody(0);
  if (coding !== undefined) {
    if (!/^chunked$/i.test(coding)) throw invalidResponse("a transfer coding that nobody asked for");
    return new BodyInParts();
  }
  return length === undefined ? new BodyUntilClose() : new AnnouncedBody(readLength(length));
}

/** A length may be said twice, but not two lengths (RFC 9110 §8.6). */
function readLength(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  const [first, ...more] = text.split(",").map((each) => each.trim());
  if (!/^[0-9]{1,15}$/.test(first!)) throw invalidResponse("a length that is none");
  if (more.some((each) => each !== first)) throw invalidResponse("two lengths that differ");
  return Number(first);
}

/** `Keep-Alive: timeout=5`: the server closes then, so a request must not be on its way at that moment. */
function keptFor(value: string): number {
  const seconds = /\btimeout=([0-9]{1,9})\b/i.exec(value);
  return seconds ? Math.max(0, Number(seconds[1]) * 1000 - 1000) : Number.POSITIVE_INFINITY;
}

/** A body whose length was announced. */
class AnnouncedBody implements BodyFraming {
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

  get isWhole(): boolean {
    return this.#left === 0;
  }

  cut(bytes: Uint8Array, from: number): void {
    this.start = from;
    this.end = Math.min(from + this.#left, bytes.length);
    this.#left -= this.end - from;
    this.excess = bytes.length - this.end;
  }
}

/** A body in parts, the sum of whose sizes nobody has said. */
class BodyInParts extends ChunkedBody implements BodyFraming {
  readonly announced = Number.NaN;
  readonly endsByClose = false;

  override cut(bytes: Uint8Array, from: number): void {
    try {
      super.cut(bytes, from);
    } catch (error) {
      throw error instanceof BadChunks ? invalidResponse(error.message) : error;
    }
  }
}

/** A body that goes on until the connection ends. */
class BodyUntilClose implements BodyFraming {
  readonly announced = Number.NaN;
  readonly endsByClose = true;
  readonly isWhole = false;
  readonly excess = 0;
  start = 0;
  end = 0;

  cut(bytes: Uint8Array, from: number): void {
    this.start = from;
    this.end = bytes.length;
  }
}
