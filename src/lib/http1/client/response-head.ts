import { invalidResponse } from "./connection-error.ts";

/** As much as our own listener takes of a request's head. */
export const MAX_HEAD_BYTES = 64 * 1024;

/** Far above what real servers and the proxies before them send. */
const MAX_FIELDS = 256;

/** The shortest field there is: `a:` and its line end. */
const LEAST_FIELD_BYTES = 4;

/**
 * A head to the letter of RFC 9112 §4 and §5: names are tokens, right before their colon, no line is folded, and there is no CR, LF
 * or NUL within one. Every character can stand in one place only, so that matching takes one pass.
 */
const HEAD =
  /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*)\r\n$/;

/** The shortest status line, for `canBeginHead`: what has come takes the place of its beginning. */
const SHORTEST_LINE = "HTTP/1.1 200\r";
const STATUS_LINE = /^HTTP\/1\.[01] [1-9][0-9]{2}[ \r]/;

/**
 * Whether the first bytes of a head can still become one. Those of another protocol (an alert of TLS, the banner of SSH, a frame of
 * HTTP/2, JSON without a head) may never be followed by the empty line that ends a head, and waiting for it would take until a timeout.
 */
export function canBeginHead(bytes: Buffer): boolean {
  const came = bytes.toString("latin1", 0, SHORTEST_LINE.length);
  return STATUS_LINE.test(came + SHORTEST_LINE.slice(came.length));
}

/** Whether a line ends without a CR from this byte on. No head has such a line, whatever follows. */
export function hasBareLineFeed(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(10, from); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at - 1] !== 13) return true;
  }
  return false;
}

/** The head of a reply, as it came. */
export interface ResponseHead {
  readonly status: number;
  /** Of HTTP/1: 0 or 1. */
  readonly minorVersion: number;
  readonly headers: ResponseHeaders;
}

/** Reads a head, the empty line behind it included. Throws where it is none. */
export function readHead(text: string): ResponseHead {
  if (text.length > MAX_FIELDS * LEAST_FIELD_BYTES && text.split("\r\n", MAX_FIELDS + 4).length > MAX_FIELDS + 3) {
    throw invalidResponse(`a head of more than ${MAX_FIELDS} headers`);
  }
  const match = HEAD.exec(text);
  if (!match) throw invalidResponse("a head that is none");
  return { status: Number(match[2]), minorVersion: Number(match[1]), headers: new ResponseHeaders(match[3]!) };
}

/** The headers of a reply. They are taken apart when somebody asks: of most replies nobody does. */
export class ResponseHeaders implements Iterable<[string, string]> {
  /** The lines, checked, each with its line end. */
  readonly lines: string;
  #values: Map<string, string> | undefined;

  constructor(lines: string) {
    this.lines = lines;
  }

  /** By its name in small letters. What came several times is joined, as `Headers` does it. */
  get(name: string): string | null {
    this.#values ??= valuesIn(this.lines);
    return this.#values.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    this.#values ??= valuesIn(this.lines);
    return this.#values.entries();
  }
}

function valuesIn(lines: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of lines.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon < 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, "");
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return values;
}
