import { invalidResponse } from "./connection-error.ts";

/** The maximum size of a response head. */
export const MAX_HEAD_BYTES = 64 * 1024;

/** The most headers: far more than real servers and proxies send. */
const MAX_FIELDS = 256;

/** The shortest header line: `a:` and its line end. */
const MIN_FIELD_BYTES = 4;

/**
 * A head by RFC 9112 §4 and §5: names are tokens directly before their colon, lines are not folded, and they do not contain CR, LF or NUL.
 * The pattern is unambiguous, so matching takes one pass.
 */
const HEAD =
  /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*)\r\n$/;

/** The shortest status line. In `canBeginHead`, received bytes replace its beginning. */
const MIN_LINE_LENGTH = "HTTP/1.1 200\r";
const STATUS_LINE = /^HTTP\/1\.[01] [1-9][0-9]{2}[ \r]/;

/**
 * Whether these first bytes can still become a head. After bytes of another protocol (a TLS alert, an SSH banner, an HTTP/2 frame, JSON
 * without a head), the empty line that ends a head may never arrive, and the client would wait until a timeout.
 */
export function canBeginHead(bytes: Buffer): boolean {
  const received = bytes.toString("latin1", 0, MIN_LINE_LENGTH.length);
  return STATUS_LINE.test(received + MIN_LINE_LENGTH.slice(received.length));
}

/** Whether a line from this offset on ends without a CR, which no valid head does. */
export function hasBareLineFeed(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(10, from); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at - 1] !== 13) return true;
  }
  return false;
}

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  /** The minor version of HTTP/1: 0 or 1. */
  readonly minorVersion: number;
  readonly headers: ResponseHeaders;
}

/** Parses a head including the empty line after it. Throws if it is invalid. */
export function readHead(text: string): ResponseHead {
  if (text.length > MAX_FIELDS * MIN_FIELD_BYTES && text.split("\r\n", MAX_FIELDS + 4).length > MAX_FIELDS + 3) {
    throw invalidResponse(`a head of more than ${MAX_FIELDS} headers`);
  }
  const match = HEAD.exec(text);
  if (!match) throw invalidResponse("an invalid head");
  return { status: Number(match[2]), minorVersion: Number(match[1]), headers: new ResponseHeaders(match[3]!) };
}

/** The headers of a response, parsed on first access: most responses' headers are never read. */
class ResponseHeaders implements Iterable<[string, string]> {
  /** The validated lines, each with its line end. */
  readonly lines: string;
  #values: Map<string, string> | undefined;

  constructor(lines: string) {
    this.lines = lines;
  }

  /** The headers by lower-case name. Repeated headers are joined, as `Headers` does. */
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
