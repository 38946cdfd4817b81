import type { Source, Consumer } from "../../async/source.ts";
import type { ByteText } from "../../text/byte-text.ts";
import { framingOf, type ResponseFraming } from "./body-framing.ts";
import type { Connection, ConnectionUser } from "./connection.ts";
import { canBeginHead, hasBareLineFeed, MAX_HEAD_BYTES, readHead, type ResponseHead } from "./response-head.ts";
import { connectionClosed, invalidResponse } from "./connection-error.ts";

/** Unread bytes beyond which the connection is paused. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** The most bytes delivered at once: decoding takes several times as much memory. The kernel may deliver eight times that. */
const MAX_CHUNK_BYTES = 64 * 1024;

/** The most interim responses (1xx) before the response. */
const MAX_INTERIM = 100;

/** The timeouts of an exchange, and the errors for its caller. */
export interface ExchangeWatch {
  /** Called when a chunk of the body was received. */
  progressed(): void;
  /** Called when the response is complete: no more timeouts apply. */
  stop(): void;
  /** Called when the exchange failed: returns the error to throw. */
  explain(error: unknown): Error;
}

/** The methods of a connection that an exchange needs. */
export type ExchangeConnection = Pick<Connection, "send" | "pause" | "resume" | "release" | "abort">;

/** The client's side of one request and its response. It owns the connection until the response is complete. */
export class ClientExchange implements ConnectionUser, Source<Uint8Array> {
  readonly #connection: ExchangeConnection;
  readonly #watch: ExchangeWatch;
  /** Whether the server may have received any part of the request. */
  wasSent = false;
  /** Whether any byte of a response was received. */
  hasReceived = false;
  #pendingHead: PromiseWithResolvers<ResponseHead> | undefined;
  #pendingRead: Consumer<Uint8Array> | undefined;
  /** The beginning of an incomplete head. */
  #partialHead: Buffer | undefined;
  #interim = 0;
  #framing: ResponseFraming | undefined;
  /** A body that arrived complete together with its head, as most JSON responses do: it needs no view. */
  #whole: Buffer | undefined;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #isComplete = false;
  #isDropping = false;
  #failure: Error | undefined;

  constructor(connection: ExchangeConnection, watch: ExchangeWatch) {
    this.#connection = connection;
    this.#watch = watch;
  }

  /** The announced length of the body; NaN if there is none. */
  get announcedBytes(): number {
    return this.#framing?.body.announced ?? Number.NaN;
  }

  /** Sends the request, and resolves to the head of its response. */
  send(head: string, body?: readonly ByteText[] | Uint8Array): Promise<ResponseHead> {
    this.#pendingHead = Promise.withResolvers();
    this.wasSent = this.#connection.send(head, body, this);
    if (!this.wasSent) this.abort(connectionClosed());
    return this.#pendingHead.promise;
  }

  /** The complete body as text, if it arrived in one read and has at most this many bytes. */
  takeText(maxBytes: number): string | undefined {
    const bytes = this.#whole;
    if (!this.#isComplete || !bytes || this.#unread.length > 0) return undefined;
    const { start, end } = this.#framing!.body;
    if (end - start > maxBytes) return undefined;
    this.#whole = undefined;
    return bytes.toString("utf8", start, end);
  }

  /** Delivers the next bytes of the body. */
  read(consumer: Consumer<Uint8Array>): void {
    this.#openWhole();
    const chunk = this.#takeChunk();
    if (chunk) {
      if (this.#unread.length === 0 && !this.#isComplete) this.#connection.resume();
      this.#watch.progressed();
      consumer.take(chunk);
    } else if (this.#failure) consumer.fail(this.#failure);
    else if (this.#isComplete) consumer.end();
    else this.#pendingRead = consumer;
  }

  /** Drops the rest of the body. Its end is still awaited, so that the connection can be reused. */
  drop(): void {
    this.#isDropping = true;
    this.#whole = undefined;
    this.#unread = [];
    // After a complete response, the connection may belong to another exchange.
    if (!this.#isComplete) this.#connection.resume();
  }

  /** Ends the exchange and closes its connection. */
  abort(reason: Error): void {
    if (this.#isComplete || this.#failure) return;
    this.#connection.abort();
    this.#fail(reason);
  }

  received(bytes: Buffer): void {
    try {
      if (this.#framing) this.#takeBody(bytes, 0);
      else this.#takeHead(bytes);
    } catch (error) {
      this.abort(error as Error);
    }
  }

  /** A graceful close is the end of a body that is delimited by the end of the connection. */
  closed(error: unknown): void {
    if (this.#isComplete || this.#failure) return;
    if (!this.#framing?.body.endsByClose || error !== undefined) return this.#fail(connectionClosed(error));
    this.#end();
    this.#takeWaiting()?.end();
  }

  #takeHead(received: Buffer): void {
    this.hasReceived = true;
    const partial = this.#partialHead;
    const bytes = partial ? Buffer.concat([partial, received]) : received;
    const end = bytes.indexOf("\r\n\r\n", partial ? Math.max(0, partial.length - 3) : 0, "latin1") + 4;
    if (end < 4 ? bytes.length > MAX_HEAD_BYTES : end > MAX_HEAD_BYTES)
      throw invalidResponse(`a head of more than ${MAX_HEAD_BYTES} bytes`);
    if (end < 4) return this.#keepPartialHead(bytes, partial?.length ?? 0);
    this.#partialHead = undefined;
    const head = readHead(bytes.toString("latin1", 0, end));
    if (head.status < 200) this.#skipInterim(head.status, bytes.subarray(end));
    else this.#begin(head, bytes, end);
  }

  /** Waits for the rest of a head, unless it is already invalid. */
  #keepPartialHead(bytes: Buffer, newFrom: number): void {
    if (!canBeginHead(bytes) || hasBareLineFeed(bytes, newFrom)) throw invalidResponse("an invalid head");
    this.#partialHead = bytes;
  }

  #skipInterim(status: number, rest: Buffer): void {
    if (status === 101) throw invalidResponse("another protocol, which was not requested");
    if (++this.#interim > MAX_INTERIM) throw invalidResponse(`more than ${MAX_INTERIM} interim responses`);
    if (rest.length > 0) this.#takeHead(rest);
  }

  #begin(head: ResponseHead, bytes: Buffer, at: number): void {
    this.#framing = framingOf(head);
    // The status counts, even if the rest of the same read is invalid.
    this.#pendingHead!.resolve(head);
    this.#pendingHead = undefined;
    this.#takeBody(bytes, at);
  }

  #takeBody(bytes: Buffer, from: number): void {
    const { body } = this.#framing!;
    body.parse(bytes, from);
    // Done before the last bytes are delivered, so that the connection is free whatever their consumer does.
    if (body.isComplete) this.#end();
    if (body.isComplete && from > 0) this.#whole = bytes;
    else if (body.end > body.start && !this.#isDropping) this.#deliver(bytes.subarray(body.start, body.end));
    if (body.isComplete) this.#takeWaiting()?.end();
  }

  /** Turns a complete body into a chunk, for consumers that read in chunks. */
  #openWhole(): void {
    const bytes = this.#whole;
    if (!bytes) return;
    this.#whole = undefined;
    const { start, end } = this.#framing!.body;
    if (end <= start) return;
    this.#unread.push(bytes.subarray(start, end));
    this.#unreadBytes += end - start;
  }

  #deliver(chunk: Uint8Array): void {
    const waiting = this.#takeWaiting();
    if (!waiting) return this.#keep(chunk);
    this.#watch.progressed();
    if (chunk.length <= MAX_CHUNK_BYTES) return waiting.take(chunk);
    this.#keep(chunk);
    waiting.take(this.#takeChunk()!);
  }

  /** The pending consumer, which is called once. */
  #takeWaiting(): Consumer<Uint8Array> | undefined {
    const waiting = this.#pendingRead;
    this.#pendingRead = undefined;
    return waiting;
  }

  #keep(chunk: Uint8Array): void {
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    // A single buffered chunk is normal: the consumer is about to read it. A second chunk means that the consumer is slower than the
    // server.
    if (!this.#isComplete && (this.#unread.length > 1 || this.#unreadBytes > MAX_UNREAD_BYTES)) this.#connection.pause();
  }

  #takeChunk(): Uint8Array | undefined {
    const [first] = this.#unread;
    if (!first) return undefined;
    const chunk = first.length > MAX_CHUNK_BYTES ? first.subarray(0, MAX_CHUNK_BYTES) : first;
    if (chunk === first) this.#unread.shift();
    else this.#unread[0] = first.subarray(MAX_CHUNK_BYTES);
    this.#unreadBytes -= chunk.length;
    return chunk;
  }

  #end(): void {
    this.#isComplete = true;
    this.#watch.stop();
    const { body, keepAliveMs } = this.#framing!;
    // Bytes after the end must not be mistaken for the next response.
    if (body.excess > 0) this.#connection.abort();
    else this.#connection.release(keepAliveMs);
  }

  #fail(error: Error): void {
    // Before the head, the caller may retry, and otherwise explains the error itself.
    if (this.#pendingHead) this.#failure = error;
    else this.#failure = this.#watch.explain(error);
    this.#pendingHead?.reject(this.#failure);
    this.#takeWaiting()?.fail(this.#failure);
  }
}
