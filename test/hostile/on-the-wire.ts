import type { Socket } from "node:net";
import { completion, GOOD_CHUNKS } from "../support/upstreams/mock-upstream.ts";
import { bodyPart, EVENTS_HEAD, wholeReply } from "../streams/raw-upstream.ts";
import type { Asked, Play } from "./hostile-case.ts";

/** What hostile upstreams write, and how. */

export const JSON_TYPE = "content-type: application/json";
export const EVENTS_TYPE = "content-type: text/event-stream";
export const LAST_PART = "0\r\n\r\n";
export const GOOD_JSON = JSON.stringify(completion());
export const MB = 1024 * 1024;

/** Events as they stand in a stream. */
export const data = (...events: readonly string[]): string => events.map((event) => `data: ${event}\n\n`).join("");

/** The events of a good stream, `[DONE]` behind them. */
export const GOOD_EVENTS = data(...GOOD_CHUNKS, "[DONE]");
/** As far as the first word. */
export const FIRST_EVENTS = data(...GOOD_CHUNKS.slice(0, 2));

/** The body of a good answer, of the kind that was asked for. */
export const goodBody = ({ stream }: Asked): string => (stream ? GOOD_EVENTS : GOOD_JSON);
const typeOf = ({ stream }: Asked): string => (stream ? EVENTS_TYPE : JSON_TYPE);

/** Writes these bytes, whatever was asked. */
export const writes =
  (...pieces: readonly (string | Uint8Array)[]): Play =>
  (socket) => {
    for (const piece of pieces) socket.write(piece);
  };

/** The same, and closes. */
export const writesAndCloses =
  (text: string | Uint8Array): Play =>
  (socket) =>
    void socket.end(text);

/** A whole reply of announced length. */
export const replies = (status: string, headers: readonly string[], body: string | Uint8Array): Play =>
  writes(wholeReply(status, headers, body));

/** A good answer under another head, to which the body's length and type belong. */
export const answersUnder =
  (...lines: readonly string[]): Play =>
  (socket, asked) =>
    void socket.write(`${lines.join("\r\n")}\r\n${typeOf(asked)}\r\ncontent-length: ${goodBody(asked).length}\r\n\r\n${goodBody(asked)}`);

/** A good answer with more headers. */
export const answersWith = (...headers: readonly string[]): Play => answersUnder("HTTP/1.1 200 OK", ...headers);

/** A head that says the body is of this framing, and this body. */
export const answersFramed =
  (headers: readonly string[], body: (text: string) => string | Uint8Array, isClosed = false): Play =>
  (socket, asked) => {
    const head = ["HTTP/1.1 200 OK", typeOf(asked), ...headers].join("\r\n");
    socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body(goodBody(asked)))]));
    if (isClosed) socket.end();
  };

/** A whole stream of these events. */
export const streams = (...events: readonly string[]): Play => writes(EVENTS_HEAD, bodyPart(events.join("")), LAST_PART);

/** A text of ASCII, each of its letters in a part of its own. */
export const inParts = (text: string): string[] => Array.from(text, (letter) => bodyPart(letter));

/** Pieces with a pause between them. */
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

/** The same piece for ever, to each who asks: a generator would be at its end for the second caller, once the first has left. */
export const endlessly = (piece: string): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (;;) yield piece;
  },
});

/** Writes a piece again and again, as fast as it is read, until so many bytes are out or the other side has had enough. */
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

/** Begins, and then floods. */
export const floods =
  (first: string, piece: string | Uint8Array, bytes?: number): Play =>
  (socket) => {
    socket.write(first);
    return flood(socket, piece, bytes);
  };
