import { BadRequest, RequestHead } from "./request-head.ts";

/** The maximum size of a request head. `respond` rejects a larger complete head, with the same error as here. */
const MAX_HEADER_BYTES = 16 * 1024;

/** The head of a request is larger than the server accepts. */
export class HeadTooLarge extends Error {
  constructor() {
    super(`larger than ${MAX_HEADER_BYTES} bytes`);
  }
}

/**
 * The maximum of unread bytes. Unread bytes are outside the memory budgets and can be sent without a key, so the maximum is only a little
 * more than the largest head.
 */
export const MAX_UNREAD_BYTES = MAX_HEADER_BYTES + 1024;

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const CR = 0x0d;
const LF = 0x0a;

/**
 * Copies a view that uses less than half of its buffer. A view of one byte of the next head would retain everything that was received with
 * it, such as 500 KB of a body, outside of any memory budget. Each copy at least halves the length, so pipelined requests cost at most
 * twice their length.
 */
export function compact(view: Buffer): Buffer {
  return view.length * 2 < view.buffer.byteLength ? Buffer.from(view) : view;
}

/**
 * The offset of the body after the request head at the start of these bytes. Undefined while the head is incomplete; throws if it cannot
 * become valid.
 */
export function endOfHead(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end >= 0) return end + END_OF_HEAD.length;
  rejectInvalidStart(bytes);
  return undefined;
}

export function readHead(bytes: Buffer, end: number): RequestHead {
  return new RequestHead(bytes.toString("latin1", startOfHead(bytes), end - 2));
}

/** An empty line before a request is ignored (RFC 9112 §2.2). */
function startOfHead(bytes: Buffer): number {
  return bytes[0] === CR && bytes[1] === LF ? 2 : 0;
}

/** Rejects bytes that cannot become a head, whatever follows: a client that sends TLS, or uses other line ends, would wait for a reply. */
function rejectInvalidStart(bytes: Buffer): void {
  const first = bytes[0]!;
  if (first !== CR && (first <= 0x20 || first >= 0x7f)) throw new BadRequest("it begins with a byte that no method has");
  const lineEnd = bytes.indexOf(LF);
  if (lineEnd >= 0 && bytes[lineEnd - 1] !== CR) throw new BadRequest("its first line does not end in CR LF");
  if (bytes.length > MAX_UNREAD_BYTES) rejectLongHead(bytes.length);
}

export function rejectLongHead(bytes: number): void {
  if (bytes > MAX_HEADER_BYTES) throw new HeadTooLarge();
}
