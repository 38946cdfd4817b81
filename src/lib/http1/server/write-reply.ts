import { isStreamBody, type StreamBody, type Reply } from "./reply.ts";
import type { WriteBuffer } from "./write-buffer.ts";

/** Those that are sent here. To programs the number says it all. */
const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  421: "Misdirected Request",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** Visible characters and blanks, of one byte each. A line break would begin a header, or a reply, that is not ours. */
const VALUE = /^[\t -~\x80-\xff]*$/;

/** Nothing follows a reply with it on its connection. */
export const CLOSE_LINE = "connection: close\r\n";

/** How a reply is to be sent. */
export interface Manner {
  readonly date: string;
  /** The header lines that say whether the connection stays open, and for how long. */
  readonly connection: string;
  /** Whether the caller knows a body in parts; one in one piece has a length in any case. */
  readonly inParts: boolean;
  /** Whether the caller wants the head alone. */
  readonly isHeadOnly: boolean;
}

/** Sends a reply, or its head where its body is made while it is sent: then that is given back. */
export function writeReply(reply: Reply, manner: Manner, outbox: WriteBuffer): StreamBody | undefined {
  const { body, status } = reply;
  const head = headOf(reply, manner);
  if (isStreamBody(body)) {
    sendHead(`${head}${manner.inParts ? "transfer-encoding: chunked\r\n" : ""}\r\n`, outbox);
    if (!manner.isHeadOnly) return body;
    body.cancel();
    return undefined;
  }
  if (isBodiless(status)) {
    sendHead(`${head}\r\n`, outbox);
    return undefined;
  }
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
  const whole = `${head}content-length: ${bytes}\r\n\r\n`;
  // In most replies everything is ASCII, and leaves in one piece.
  if (typeof body === "string" && !manner.isHeadOnly && isAscii(whole)) outbox.sendText(whole + body, whole.length + bytes);
  else if (body === null || manner.isHeadOnly) sendHead(whole, outbox);
  else outbox.sendWhole(whole, typeof body === "string" ? Buffer.from(body) : body);
  return undefined;
}

function headOf({ status, headers, cookies }: Reply, { date, connection }: Manner): string {
  let head = `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\ndate: ${date}\r\n`;
  for (const name in headers) head = withLine(head, name, headers[name]!);
  for (const cookie of cookies) head = withLine(head, "set-cookie", cookie);
  return head + connection;
}

function withLine(head: string, name: string, value: string): string {
  if (!VALUE.test(value)) throw new Error(`the header ${name} would have a character that no header may have`);
  return `${head}${name}: ${value}\r\n`;
}

/** Whether a reply of this status has no body, nor says how long it is (RFC 9110 §6.4.1). */
function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** In a head each character is one byte, whichever it is. */
function sendHead(head: string, outbox: WriteBuffer): void {
  if (isAscii(head)) outbox.sendText(head, head.length);
  else outbox.sendBytes(Buffer.from(head, "latin1"));
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
