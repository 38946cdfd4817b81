import { BadRequest, RequestHead } from "./request-head.ts";

/** The most that a head may have. `answer` rejects a whole one that has more, in the same words as is rejected here. */
const MAX_HEADER_BYTES = 16 * 1024;

/** The head of a request is larger than the server accepts. */
export class HeadTooLarge extends Error {
  constructor() {
    super(`larger than ${MAX_HEADER_BYTES} bytes`);
  }
}

/** What may come before it is read. It is in no memory budget and needs no key, so it is hardly more than the largest head. */
export const MAX_UNREAD_BYTES = MAX_HEADER_BYTES + 1024;

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const CR = 0x0d;
const LF = 0x0a;

/**
 * The same bytes, without most of what came with them. A view of one byte of the next head would keep all that was received with it, such as
 * 500 KB of a body, in no memory budget. What is copied at least halves each time, so many requests at once cost no more than twice their length.
 */
export function withoutSpare(view: Buffer): Buffer {
  return view.length * 2 < view.buffer.byteLength ? Buffer.from(view) : view;
}

/** Where the body of the request begins whose head these bytes begin with. Undefined while the head is not whole; throws where it never will be. */
export function endOfHead(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end >= 0) return end + END_OF_HEAD.length;
  refuseHopeless(bytes);
  return undefined;
}

export function readHead(bytes: Buffer, end: number): RequestHead {
  return new RequestHead(bytes.toString("latin1", startOfHead(bytes), end - 2));
}

/** An empty line before a request is no part of it (RFC 9112 §2.2). */
function startOfHead(bytes: Buffer): number {
  return bytes[0] === CR && bytes[1] === LF ? 2 : 0;
}

/** Refuses what cannot become a head whatever follows: one who speaks TLS, or ends lines in another way, waits for a reply. */
function refuseHopeless(bytes: Buffer): void {
  const first = bytes[0]!;
  if (first !== CR && (first <= 0x20 || first >= 0x7f)) throw new BadRequest("it begins with a byte that no method has");
  const lineEnd = bytes.indexOf(LF);
  if (lineEnd >= 0 && bytes[lineEnd - 1] !== CR) throw new BadRequest("its first line does not end in CR LF");
  if (bytes.length > MAX_UNREAD_BYTES) refuseLongHeaders(bytes.length);
}

export function refuseLongHeaders(bytes: number): void {
  if (bytes > MAX_HEADER_BYTES) throw new HeadTooLarge();
}
