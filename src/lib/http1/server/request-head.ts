import type { HeaderFields } from "../header-fields.ts";

/** The framing of a body: its length, or chunked. */
export type Framing = number | "chunked";

/** A request that violates RFC 9112. Two servers could read it differently (request smuggling), so it is rejected. */
export class BadRequest extends Error {}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) ([!-~]+) HTTP/1\\.([01])\\r\\n`);
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/;
const LENGTH = /^\d{1,15}$/;
/**
 * Complete lines, each with a name directly before its colon and a value without control characters. No folding (§5.2), no bare CR or LF.
 */
const FIELD_LINES = new RegExp(`(?:${TOKEN}:[\\t -~\\x80-\\xff]*\\r\\n)*$`, "y");
/** A host name or IP address, and a port (§3.2). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/i;

/** The head of a request: request line and headers, and the framing of the body that follows from them. */
export class RequestHead implements HeaderFields {
  readonly method: string;
  /** The path and the query, unchanged; `*` for the server itself. */
  readonly target: string;
  readonly framing: Framing;
  /** The size of the head. */
  readonly headerBytes: number;
  /** Whether the connection stays open after the reply. */
  readonly keepsAlive: boolean;
  /** Whether the client waits for 100 Continue before it sends the body. */
  readonly awaitsContinue: boolean;
  /** Whether the client accepts a chunked reply: HTTP/1.0 does not. */
  readonly acceptsChunked: boolean;
  readonly #fields = new Map<string, string>();

  /** `text` is everything before the empty line, including the line end of the last header. */
  constructor(text: string) {
    const [line, method, target, minor] = REQUEST_LINE.exec(text) ?? refuse("its first line is not an HTTP/1.1 request line");
    this.method = method!;
    this.acceptsChunked = minor === "1";
    this.headerBytes = text.length;
    this.#readFields(text, line.length);
    this.target = target!.startsWith("/") ? target! : this.#pathOfTarget(target!);
    this.#checkHost();
    this.framing = this.#findFraming();
    const connection = this.#fields.get("connection")?.toLowerCase();
    this.keepsAlive = this.acceptsChunked && !(connection !== undefined && CLOSE.test(connection));
    this.awaitsContinue = this.acceptsChunked && this.framing !== 0 && this.#fields.get("expect")?.toLowerCase() === "100-continue";
  }

  get(name: string): string | null {
    return this.#fields.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  #readFields(text: string, start: number): void {
    FIELD_LINES.lastIndex = start;
    if (!FIELD_LINES.test(text)) refuse("one of its header lines is not a name, a colon and a value");
    // One call for all names: toLowerCase costs about the same for one name as for the whole head.
    const names = text.toLowerCase();
    for (let at = start; at < text.length;) {
      const colon = text.indexOf(":", at);
      const end = text.indexOf("\r\n", colon);
      this.#add(names.slice(at, colon), trimBlanks(text, colon + 1, end));
      at = end + 2;
    }
  }

  /** Repeated headers form a list (RFC 9110 §5.3). Headers that decide the framing or the host must not repeat. */
  #add(name: string, value: string): void {
    const before = this.#fields.get(name);
    if (before !== undefined && (name === "host" || name === "content-length" || name === "transfer-encoding")) {
      refuse(`the header ${name} is given twice`);
    }
    this.#fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }

  /** A server must accept the absolute form; its host takes precedence over the Host header (§3.2.2). */
  #pathOfTarget(target: string): string {
    if (target === "*" && this.method === "OPTIONS") return target;
    const [, host, path] = ABSOLUTE_FORM.exec(target) ?? refuse("its target is not a path");
    if (this.#fields.has("host")) this.#fields.set("host", host!);
    return path!.startsWith("/") ? path! : `/${path}`;
  }

  /** A Host header with a path or user in it would change URLs that are built from it. */
  #checkHost(): void {
    const host = this.#fields.get("host");
    if (host === undefined && this.acceptsChunked) refuse("the header host is missing");
    if (host !== undefined && !HOST.test(host)) refuse("the header host is not a host");
  }

  /** RFC 9112 §6: Content-Length together with Transfer-Encoding is an attempt at request smuggling. */
  #findFraming(): Framing {
    const length = this.#fields.get("content-length");
    const coding = this.#fields.get("transfer-encoding");
    if (coding === undefined) return length === undefined ? 0 : readLength(length);
    if (length !== undefined) refuse("it has both the header content-length and transfer-encoding");
    if (!this.acceptsChunked || coding.toLowerCase() !== "chunked") refuse("the header transfer-encoding must be chunked");
    return "chunked";
  }
}

function readLength(text: string): number {
  return LENGTH.test(text) ? Number(text) : refuse("the header content-length is not a number");
}

/** Trims spaces and tabs only: other characters that JavaScript trims are part of a value. */
function trimBlanks(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function refuse(problem: string): never {
  throw new BadRequest(problem);
}
