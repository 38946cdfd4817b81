import { isStreamBody, type StreamBody, type Reply } from "./reply.ts";
import type { WriteBuffer } from "../../net/write-buffer.ts";

/** The reason phrases of the statuses in use. */
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

/** Visible characters and blanks, one byte each. A line break would allow header injection and response splitting. */
const VALUE = /^[\t -~\x80-\xff]*$/;

/** The connection is closed after a reply with this header. */
export const CLOSE_LINE = "connection: close\r\n";

/** How a reply is written. */
export interface ReplyOptions {
  readonly date: string;
  /** The Connection and Keep-Alive header lines. */
  readonly connection: string;
  /** Whether a streamed body is chunked (HTTP/1.1); other bodies have a length. */
  readonly isChunked: boolean;
  /** Whether only the head is written (HEAD). */
  readonly isHeadOnly: boolean;
}

/** Writes a reply. For a streamed reply, it writes the head and returns the body. */
export function writeReply(reply: Reply, options: ReplyOptions, writeBuffer: WriteBuffer): StreamBody | undefined {
  const { body, status } = reply;
  const head = headOf(reply, options);
  if (isStreamBody(body)) {
    writeHead(`${head}${options.isChunked ? "transfer-encoding: chunked\r\n" : ""}\r\n`, writeBuffer);
    if (!options.isHeadOnly) return body;
    body.cancel();
    return undefined;
  }
  if (isBodiless(status)) {
    writeHead(`${head}\r\n`, writeBuffer);
    return undefined;
  }
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
  const message = `${head}content-length: ${bytes}\r\n\r\n`;
  // Most replies are ASCII, and take one write without encoding.
  if (typeof body === "string" && !options.isHeadOnly && isAscii(message)) writeBuffer.writeText(message + body, message.length + bytes);
  else if (body === null || options.isHeadOnly) writeHead(message, writeBuffer);
  else writeBuffer.writeMessage(message, typeof body === "string" ? Buffer.from(body) : body);
  return undefined;
}

function headOf({ status, headers, cookies }: Reply, { date, connection }: ReplyOptions): string {
  let head = `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\ndate: ${date}\r\n`;
  for (const name in headers) head = withLine(head, name, headers[name]!);
  for (const cookie of cookies) head = withLine(head, "set-cookie", cookie);
  return head + connection;
}

function withLine(head: string, name: string, value: string): string {
  if (!VALUE.test(value)) throw new Error(`the header ${name} would have a character that no header may have`);
  return `${head}${name}: ${value}\r\n`;
}

/** Whether a reply of this status has neither a body nor a length (RFC 9110 §6.4.1). */
function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** Each character of a head is one byte (latin1). */
function writeHead(head: string, writeBuffer: WriteBuffer): void {
  if (isAscii(head)) writeBuffer.writeText(head, head.length);
  else writeBuffer.writeBytes(Buffer.from(head, "latin1"));
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
