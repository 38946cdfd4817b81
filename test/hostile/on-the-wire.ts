import type { Socket } from "node:net";
import { completion, GOOD_CHUNKS } from "../support/upstreams/mock-upstream.ts";
import { bodyPart, EVENTS_HEAD, wholeReply } from "../streams/raw-upstream.ts";
import type { ReceivedRequest, Play } from "./hostile-case.ts";

/** Building blocks of hostile responses. */

export const JSON_TYPE = "content-type: application/json";
export const EVENTS_TYPE = "content-type: text/event-stream";
export const LAST_PART = "0\r\n\r\n";
export const GOOD_JSON = JSON.stringify(completion());
export const MB = 1024 * 1024;

/** Server-sent events with these data. */
export const data = (...events: readonly string[]): string => events.map((event) => `data: ${event}\n\n`).join("");

/** The events of a good stream, with `[DONE]` at the end. */
export const GOOD_EVENTS = data(...GOOD_CHUNKS, "[DONE]");
/** The events up to the first word. */
export const FIRST_EVENTS = data(...GOOD_CHUNKS.slice(0, 2));

/** The body of a good response: JSON or a stream, as requested. */
export const goodBody = ({ stream }: ReceivedRequest): string => (stream ? GOOD_EVENTS : GOOD_JSON);
const typeOf = ({ stream }: ReceivedRequest): string => (stream ? EVENTS_TYPE : JSON_TYPE);

/** Writes these bytes, independent of the request. */
export const writes =
  (...pieces: readonly (string | Uint8Array)[]): Play =>
  (socket) => {
    for (const piece of pieces) socket.write(piece);
  };

/** Writes these bytes and closes the connection. */
export const writesAndCloses =
  (text: string | Uint8Array): Play =>
  (socket) =>
    void socket.end(text);

/** A complete response with a Content-Length. */
export const replies = (status: string, headers: readonly string[], body: string | Uint8Array): Play =>
  writes(wholeReply(status, headers, body));

/** A valid response with another head, followed by the length and type of the body. */
export const answersUnder =
  (...lines: readonly string[]): Play =>
  (socket, request) =>
    void socket.write(
      `${lines.join("\r\n")}\r\n${typeOf(request)}\r\ncontent-length: ${goodBody(request).length}\r\n\r\n${goodBody(request)}`,
    );

/** A good response with additional headers. */
export const answersWith = (...headers: readonly string[]): Play => answersUnder("HTTP/1.1 200 OK", ...headers);

/** A head that announces a framing, and a body that may have a different framing. */
export const answersFramed =
  (headers: readonly string[], body: (text: string) => string | Uint8Array, isClosed = false): Play =>
  (socket, request) => {
    const head = ["HTTP/1.1 200 OK", typeOf(request), ...headers].join("\r\n");
    socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body(goodBody(request)))]));
    if (isClosed) socket.end();
  };

/** A complete stream of these events. */
export const streams = (...events: readonly string[]): Play => writes(EVENTS_HEAD, bodyPart(events.join("")), LAST_PART);

/** Each character of an ASCII text as a separate chunk. */
export const inParts = (text: string): string[] => Array.from(text, (letter) => bodyPart(letter));

/** Writes pieces with a pause between them. */
export const drips =
  (first: string, pieces: Iterable<string>, everyMs: number): Play =>
  async (socket) => {
    socket.write(first);
    for (const piece of pieces) {
      if (socket.destroyed) return;
      await Bun.sleep(everyMs);
      socket.write(piece);
    }
  };

/** The same piece forever, for every connection. A plain generator would be exhausted after the first connection. */
export const endlessly = (piece: string): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (;;) yield piece;
  },
});

/** Writes a piece repeatedly, as fast as it is read, until this many bytes are sent or the connection closes. */
export async function flood(socket: Socket, piece: string | Uint8Array, bytes = Number.POSITIVE_INFINITY): Promise<void> {
  let ready = Promise.withResolvers<void>();
  const onReady = (): void => ready.resolve();
  socket.on("drain", onReady).on("close", onReady);
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += piece.length) {
    ready = Promise.withResolvers<void>();
    if (socket.write(piece)) setTimeout(onReady, 0);
    await ready.promise;
  }
  socket.off("drain", onReady).off("close", onReady);
}

/** Writes a start, and then floods. */
export const floods =
  (first: string, piece: string | Uint8Array, bytes?: number): Play =>
  (socket) => {
    socket.write(first);
    return flood(socket, piece, bytes);
  };
