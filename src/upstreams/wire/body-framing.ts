import { ChunkedBody } from "./chunked-body.ts";
import type { ReplyHead } from "./reply-head.ts";
import { notHttp } from "./wire-error.ts";

/** Finds the body among the bytes that follow a head, and its end. */
export interface BodyFraming {
  /** The bytes of the body among these, from here on. They may be moved within them. */
  cut(bytes: Uint8Array, from: number): Uint8Array;
  readonly isWhole: boolean;
  /** How many of the bytes came behind the end, where nobody has asked for any. */
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

/** The headers that decide where a reply ends, and what becomes of its connection. */
const DECISIVE = /^(content-length|transfer-encoding|connection|keep-alive):[\t ]*(.*?)[\t ]*\r$/gim;

/** How the body behind a head is to be read (RFC 9112 §6.3). Throws where the head contradicts itself. */
export function framingOf({ status, minorVersion, headers: { lines } }: ReplyHead): Framed {
  let length: string | undefined;
  let coding: string | undefined;
  let connection = minorVersion === 0 ? "close" : "";
  let keptForMs = Number.POSITIVE_INFINITY;
  for (const [, name, value] of lines.matchAll(DECISIVE)) {
    switch (name!.toLowerCase()) {
      case "content-length":
        length = length === undefined ? value! : `${length},${value!}`;
        break;
      case "transfer-encoding":
        coding = coding === undefined ? value! : `${coding},${value!}`;
        break;
      case "connection":
        connection = minorVersion === 0 && /\bkeep-alive\b/i.test(value!) ? "" : `${connection},${value!}`;
        break;
      default:
        keptForMs = keptFor(value!);
    }
  }
  const body = bodyOf(status, coding, length);
  // Two framings at once, or parts in an HTTP that has none, may mean that somebody is being lied to (RFC 9112 §6.1 and §11.1).
  const isDoubtful = coding !== undefined && (length !== undefined || minorVersion === 0);
  const isClosed = body.endsByClose || isDoubtful || /\bclose\b/i.test(connection);
  return { body, keptForMs: isClosed ? 0 : keptForMs };
}

function bodyOf(status: number, coding: string | undefined, length: string | undefined): BodyFraming {
  if (status === 204 || status === 304) return new AnnouncedBody(0);
  if (coding !== undefined) {
    if (!/^chunked$/i.test(coding)) throw notHttp("a transfer coding that nobody asked for");
    return new ChunkedBody();
  }
  return length === undefined ? new BodyUntilClose() : new AnnouncedBody(readLength(length));
}

/** A length may be said twice, but not two lengths (RFC 9110 §8.6). */
function readLength(text: string): number {
  const [first, ...more] = text.split(",").map((each) => each.trim());
  if (!/^[0-9]{1,15}$/.test(first!)) throw notHttp("a length that is none");
  if (more.some((each) => each !== first)) throw notHttp("two lengths that differ");
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
  excess = 0;
  #left: number;

  constructor(length: number) {
    this.announced = length;
    this.#left = length;
  }

  get isWhole(): boolean {
    return this.#left === 0;
  }

  cut(bytes: Uint8Array, from: number): Uint8Array {
    const end = Math.min(from + this.#left, bytes.length);
    this.#left -= end - from;
    this.excess = bytes.length - end;
    return bytes.subarray(from, end);
  }
}

/** A body that goes on until the connection ends. */
class BodyUntilClose implements BodyFraming {
  readonly announced = Number.NaN;
  readonly endsByClose = true;
  readonly isWhole = false;
  readonly excess = 0;

  cut(bytes: Uint8Array, from: number): Uint8Array {
    return bytes.subarray(from);
  }
}
