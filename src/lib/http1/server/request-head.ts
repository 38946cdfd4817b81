import type { HeaderFields } from "../header-fields.ts";

/** How the end of a body is known: by its length, or part after part. */
export type Framing = number | "chunked";

/** A request that is not HTTP as RFC 9112 has it. Two servers that read it in two ways would see two requests: none is safe. */
export class BadRequest extends Error {}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) ([!-~]+) HTTP/1\\.([01])\\r\\n`);
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/;
const LENGTH = /^\d{1,15}$/;
/** Whole lines, each a name right before its colon and a value without control characters. No folding (§5.2), no bare CR or LF. */
const FIELD_LINES = new RegExp(`(?:${TOKEN}:[\\t -~\\x80-\\xff]*\\r\\n)*$`, "y");
/** A name or an address, and a port (§3.2). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;
const WHOLE_ADDRESS = /^https?:\/\/([^/?#]*)(.*)$/i;

/** What comes before the body of a request: who asks for what, and how the body's end is to be found. */
export class RequestHead implements HeaderFields {
  readonly method: string;
  /** The path and the query, as they were sent; `*` for the server as a whole. */
  readonly target: string;
  readonly framing: Framing;
  /** What all of it takes. */
  readonly headerBytes: number;
  /** Whether the caller means to send more on this connection. */
  readonly keepsAlive: boolean;
  /** Whether the body is only sent when it is asked for. */
  readonly awaitsContinue: boolean;
  /** HTTP/1.0 knows no parts. */
  readonly takesParts: boolean;
  readonly #fields = new Map<string, string>();

  /** `text` is everything up to the empty line, with the end of the last line before it. */
  constructor(text: string) {
    const [line, method, target, minor] = REQUEST_LINE.exec(text) ?? refuse("its first line is not that of an HTTP/1.1 request");
    this.method = method!;
    this.takesParts = minor === "1";
    this.headerBytes = text.length;
    this.#readFields(text, line.length);
    this.target = target!.startsWith("/") ? target! : this.#takeApart(target!);
    this.#checkHost();
    this.framing = this.#findFraming();
    const connection = this.#fields.get("connection")?.toLowerCase();
    this.keepsAlive = this.takesParts && !(connection !== undefined && CLOSE.test(connection));
    this.awaitsContinue = this.takesParts && this.framing !== 0 && this.#fields.get("expect")?.toLowerCase() === "100-continue";
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
    // All of it at once: to ask for small letters costs as much for a name as for a page.
    const names = text.toLowerCase();
    for (let at = start; at < text.length;) {
      const colon = text.indexOf(":", at);
      const end = text.indexOf("\r\n", colon);
      this.#add(names.slice(at, colon), withoutBlanks(text, colon + 1, end));
      at = end + 2;
    }
  }

  /** What is sent more than once is a list (RFC 9110 §5.3). Of what decides where a request ends, or whom it is for, there is one. */
  #add(name: string, value: string): void {
    const before = this.#fields.get(name);
    if (before !== undefined && (name === "host" || name === "content-length" || name === "transfer-encoding")) {
      refuse(`the header ${name} is given twice`);
    }
    this.#fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }

  /** Proxies are asked for whole addresses, and who gets one must take it. Then the host in it counts, not the header (§3.2.2). */
  #takeApart(target: string): string {
    if (target === "*" && this.method === "OPTIONS") return target;
    const [, host, path] = WHOLE_ADDRESS.exec(target) ?? refuse("its target is not a path");
    if (this.#fields.has("host")) this.#fields.set("host", host!);
    return path!.startsWith("/") ? path! : `/${path}`;
  }

  /** A host with more in it than a name would make another address of what it is put before. */
  #checkHost(): void {
    const host = this.#fields.get("host");
    if (host === undefined && this.takesParts) refuse("the header host is missing");
    if (host !== undefined && !HOST.test(host)) refuse("the header host is not a host");
  }

  /** RFC 9112 §6: where a length and parts are both announced somebody is trying to have two servers see two requests. */
  #findFraming(): Framing {
    const length = this.#fields.get("content-length");
    const coding = this.#fields.get("transfer-encoding");
    if (coding === undefined) return length === undefined ? 0 : readLength(length);
    if (length !== undefined) refuse("it has both the header content-length and transfer-encoding");
    if (!this.takesParts || coding.toLowerCase() !== "chunked") refuse("the header transfer-encoding must be chunked");
    return "chunked";
  }
}

function readLength(text: string): number {
  return LENGTH.test(text) ? Number(text) : refuse("the header content-length is not a number");
}

/** Only these two count as blanks here: what else JavaScript trims is part of a value. */
function withoutBlanks(text: string, start: number, end: number): string {
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
