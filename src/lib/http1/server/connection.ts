import type { Socket } from "bun";
import type { StreamBody, Reply, BodyWriter } from "./reply.ts";
import { Deadlines } from "./deadlines.ts";
import { endOfHead, MAX_UNREAD_BYTES, readHead, compact } from "./read-head.ts";
import type { ListenerContext } from "./listener-context.ts";
import { WriteBuffer } from "../../net/write-buffer.ts";
import type { RequestBody } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import { ServerRequest, type RequestConnection } from "./server-request.ts";
import { CLOSE_LINE, writeReply } from "./write-reply.ts";

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const EMPTY = Buffer.alloc(0);

/** A server connection: reads a request, lets it be handled, writes the reply, and only then reads the next request. */
export class Connection implements RequestConnection {
  readonly standing: ConnectionStanding<Connection>;
  readonly #host: ListenerContext<Connection>;
  readonly #socket: Socket<Connection>;
  readonly #writeBuffer: WriteBuffer;
  /** Received bytes that do not belong to a request yet. */
  #unread: Buffer = EMPTY;
  #request: ServerRequest | undefined;
  #hasReplied = false;
  #isRejection = false;
  #stream: StreamBody | undefined;
  readonly #deadlines: Deadlines;
  #isPaused = false;
  /** No more requests are read; the connection is shut down when the reply is written. */
  #isLast = false;
  /** Why requests on this connection are rejected unread. */
  #overload: Error | undefined;
  /** The write side is shut down; received bytes are dropped. */
  #isShut = false;
  #isClosed = false;

  constructor(socket: Socket<Connection>, host: ListenerContext<Connection>) {
    this.#socket = socket;
    this.#writeBuffer = new WriteBuffer(socket);
    this.#host = host;
    this.#deadlines = new Deadlines(host);
    this.standing = new ConnectionStanding(this, this.#deadlines, host);
  }

  /** Whether a request is in flight, up to the last byte of its reply. */
  get isBusy(): boolean {
    return !this.#isClosed && (this.#request !== undefined || !this.#writeBuffer.isDrained);
  }

  /** Whether every request has its reply, and every reply was written. */
  get #isAnswered(): boolean {
    return (this.#request === undefined || this.#hasReplied) && this.#writeBuffer.isDrained;
  }

  /** Whether the connection waits for a request, and no byte of it was received yet. */
  get isIdle(): boolean {
    return !this.isBusy && this.#unread.length === 0;
  }

  /** Whether the connection may be closed in favour of another: it had time to authenticate, and has no request in flight. */
  get isReplaceable(): boolean {
    return !this.isYoung && (this.#request === undefined || this.#hasReplied || !this.#request.body.isEnded);
  }

  /** Whether a part of a reply is not written yet, because the client reads slowly. */
  get isSending(): boolean {
    return !this.#writeBuffer.isDrained;
  }

  get isYoung(): boolean {
    return this.#deadlines.isYoung;
  }

  received(bytes: Buffer): void {
    if (this.#isShut) return this.#deadlines.touch();
    if (this.#overload && !this.#isLast) return this.#refuse(this.#overload);
    const rest = this.#feedBody(bytes);
    if (rest.length === 0 || this.#isLast) return;
    // Sending a head byte by byte does not extend its deadline (slow loris).
    if (this.#unread.length === 0 && this.#request) this.#deadlines.touch();
    else if (this.#unread.length === 0) this.#deadlines.beginHead();
    this.#unread = this.#unread.length === 0 ? rest : Buffer.concat([this.#unread, rest]);
    if (!this.#request) this.#readHead();
    this.#pauseOrResume();
  }

  drained(): void {
    if (this.#writeBuffer.flush()) this.#deadlines.touch();
    this.#proceed();
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#writeBuffer.close();
    this.#request?.cancel();
    this.#stream?.cancel();
  }

  /** Closes the connection, or ends the upload on it, when a deadline has passed. */
  checkDeadlines(): void {
    if (this.#deadlines.isSendingTooLong) return this.#endSending();
    if (this.#isUploading && this.#deadlines.isUploadTooSlow) return this.#endUpload();
    if (this.#deadlines.isIdleTooLong) return this.#endIdle();
    if (this.#isAnswered && !this.#isLast && this.#deadlines.isUnauthenticatedTooLong) this.#endUnauthenticated();
  }

  /** Closes the connection: immediately if it is idle, otherwise after the reply. */
  finish(): void {
    this.#isLast = true;
    this.#proceed();
  }

  /** Rejects the first request unread. A reply before any request would look like a broken connection to some clients. */
  rejectOverload(why: Error): void {
    this.#overload = why;
  }

  cut(): void {
    this.#socket.terminate();
  }

  /** Closes the connection without a reset, which would discard bytes that the kernel still has to send to a slow client. */
  close(): void {
    this.#socket.end();
  }

  get address(): string | null {
    return this.#isClosed ? null : (this.#socket.remoteAddress ?? null);
  }

  requestBody(): void {
    if (this.#request?.headers.awaitsContinue) this.#writeBuffer.writeText(CONTINUE, CONTINUE.length);
    this.#pauseOrResume();
  }

  setIdleTimeout(request: ServerRequest, seconds: number): void {
    // A request that ends later than its reply no longer owns the connection.
    if (request === this.#request) this.#deadlines.setIdleTimeout(seconds);
  }

  /** An idle connection is closed without a reset, which a client could interpret as the failure of a request that it is sending. */
  #endIdle(): void {
    if (this.#isShut) this.close();
    else if (this.isBusy || this.#unread.length > 0 || this.#overload) this.cut();
    else this.finish();
  }

  get #isUploading(): boolean {
    return this.#request !== undefined && !this.#request.body.isEnded && !this.#request.body.isBroken;
  }

  #endSending(): void {
    if (!this.#isShut) this.#host.noteClosure("rejected_upload");
    this.close();
  }

  /** A request without a reply is rejected because of the timeout. */
  #endUpload(): void {
    this.#isLast = true;
    if (!this.#hasReplied) this.#request!.body.expire(this.#deadlines.uploadSeconds);
    this.#proceed();
  }

  #endUnauthenticated(): void {
    this.#host.noteClosure("unauthenticated");
    this.finish();
  }

  /** Back-pressure: stops reading from the socket while too much is unread. */
  #pauseOrResume(): void {
    const hasTooMuch = this.#unread.length > MAX_UNREAD_BYTES || (this.#request?.body.isFull ?? false);
    if (hasTooMuch === this.#isPaused) return;
    this.#isPaused = hasTooMuch;
    if (hasTooMuch) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Consumes the bytes that belong to the body of the current request, and returns the rest. */
  #feedBody(bytes: Buffer): Buffer {
    const body = this.#request?.body;
    if (!body || body.isEnded) return bytes;
    this.#deadlines.touch();
    const taken = this.#feed(body, bytes);
    this.#pauseOrResume();
    this.#proceed();
    return taken === bytes.length ? EMPTY : compact(bytes.subarray(taken));
  }

  #feed(body: RequestBody, bytes: Buffer): number {
    const taken = body.feed(bytes);
    // The start of the next request is unknown.
    if (body.isBroken) this.#isLast = true;
    return taken;
  }

  #readHead(): void {
    try {
      const end = endOfHead(this.#unread);
      if (end !== undefined) this.#begin(readHead(this.#unread, end), end);
    } catch (error) {
      this.#request?.replied();
      this.#request = undefined;
      this.#refuse(error);
    }
  }

  #refuse(thrown: unknown): void {
    this.#isLast = true;
    this.#send(this.#host.refuse(thrown));
    this.#proceed();
  }

  #begin(head: RequestHead, bodyStart: number): void {
    const request = new ServerRequest(head, this, this.#host.bodies);
    const rest = this.#unread.subarray(bodyStart);
    this.#request = request;
    this.#hasReplied = false;
    const taken = rest.length === 0 ? 0 : this.#feed(request.body, rest);
    // An empty view would keep the whole receive buffer in memory until the reply is written.
    this.#unread = taken === rest.length ? EMPTY : compact(rest.subarray(taken));
    if (!request.body.isEnded) this.#deadlines.beginUpload();
    void this.#host.handle(request).then((reply) => this.#reply(request, reply));
  }

  #reply(request: ServerRequest, reply: Reply): void {
    request.replied();
    if (this.#isClosed) return reply.cancel();
    this.#deadlines.touch();
    this.#isRejection = reply.status >= 400;
    if (reply.status === 401) this.standing.end();
    if (this.#isRejection) this.#deadlines.reject();
    // A client that waits for 100 Continue and receives a reply instead may or may not send its body.
    const isBodyUncertain = request.headers.awaitsContinue && !request.body.isEnded;
    if (!request.headers.keepsAlive || this.#host.isDraining || isBodyUncertain || this.standing.isReserved) this.#isLast = true;
    try {
      this.#stream = this.#send(reply, request);
    } catch (error) {
      reply.cancel();
      this.#send(this.#host.refuse(error), request);
    }
    if (!this.#stream) return this.#finishReply();
    this.#stream.writeTo(
      new ReplyBodyWriter(this.#writeBuffer, request.headers.acceptsChunked, (isWhole) => (isWhole ? this.#finishReply() : this.cut())),
    );
  }

  #send(reply: Reply, request?: ServerRequest): StreamBody | undefined {
    const isChunked = request?.headers.acceptsChunked ?? true;
    const connection = this.#isLast ? CLOSE_LINE : this.#deadlines.keepAliveLines;
    const options = { date: this.#host.date, connection, isChunked, isHeadOnly: request?.method === "HEAD" };
    return writeReply(reply, options, this.#writeBuffer);
  }

  #finishReply(): void {
    if (this.#isClosed) return;
    this.#hasReplied = true;
    this.#stream = undefined;
    this.#deadlines.beginHead();
    if (this.#isRejection && this.#isUploading) this.#deadlines.limitSending();
    this.#pauseOrResume();
    this.#proceed();
  }

  /**
   * Reads the next request, or shuts down, once the reply is written and the body received, so that pipelining never makes the server
   * buffer replies.
   */
  #proceed(): void {
    if (this.#isShut || this.#isClosed || !this.#writeBuffer.isDrained || this.#isInFlight) return;
    this.#request = undefined;
    this.#deadlines.beginAgain(this.#unread.length === 0);
    if (this.#isLast) this.#shut();
    else if (this.#unread.length > 0) this.#readNextTurn();
    this.#pauseOrResume();
  }

  get #isInFlight(): boolean {
    return this.#request !== undefined && !(this.#hasReplied && (this.#isLast || this.#request.body.isEnded));
  }

  /** Yields to other connections between pipelined requests. */
  #readNextTurn(): void {
    setImmediate(() => {
      if (this.#isClosed || this.#isLast || this.#request) return;
      this.#readHead();
      this.#pauseOrResume();
    });
  }

  /**
   * Closing a socket with unread bytes resets the connection, and the client may lose the reply (RFC 9112 §9.6): only the write side is
   * shut down.
   */
  #shut(): void {
    this.#isShut = true;
    this.#unread = EMPTY;
    this.#socket.shutdown();
    this.#deadlines.linger();
    this.#host.connectionDrained();
  }
}

/** Writes a streamed body: chunked (RFC 9112 §7.1), or for HTTP/1.0 until the connection is closed. */
class ReplyBodyWriter implements BodyWriter {
  readonly #writeBuffer: WriteBuffer;
  readonly #isChunked: boolean;
  readonly #onEnd: (isComplete: boolean) => void;

  constructor(writeBuffer: WriteBuffer, isChunked: boolean, onEnd: (isComplete: boolean) => void) {
    this.#writeBuffer = writeBuffer;
    this.#isChunked = isChunked;
    this.#onEnd = onEnd;
  }

  get unsentBytes(): number {
    return this.#writeBuffer.unsentBytes;
  }

  get isDrained(): boolean {
    return this.#writeBuffer.isDrained;
  }

  drained(): Promise<void> {
    return this.#writeBuffer.drained();
  }

  write(chunk: string): number {
    const bytes = Buffer.byteLength(chunk);
    // An empty chunk would end the body.
    if (bytes === 0) return 0;
    if (this.#isChunked) {
      const size = bytes.toString(16);
      this.#writeBuffer.writeText(`${size}\r\n${chunk}\r\n`, size.length + bytes + 4);
    } else this.#writeBuffer.writeText(chunk, bytes);
    return bytes;
  }

  end(): void {
    if (this.#isChunked) this.#writeBuffer.writeText("0\r\n\r\n", 5);
    this.#onEnd(true);
  }

  abort(): void {
    this.#onEnd(false);
  }
}

/** The owner that a connection counts for: its network, or the account whose credential was in its last request. */
class ConnectionStanding<Connection> {
  /** Undefined for a trusted proxy, whose connections carry the requests of many accounts. */
  network: string | undefined;
  /** The account, or a person who has no account. */
  account: string | undefined;
  /** Whether the connection is beyond the maximum of the listener: it serves one request, and is closed. */
  isReserved = false;
  #credential: string | undefined;
  readonly #connection: Connection;
  readonly #deadlines: Deadlines;
  readonly #host: ListenerContext<Connection>;

  constructor(connection: Connection, deadlines: Deadlines, host: ListenerContext<Connection>) {
    this.#connection = connection;
    this.#deadlines = deadlines;
    this.#host = host;
  }

  /** A connection of a trusted proxy: it counts as authenticated, but not for any account. */
  trust(): void {
    this.#deadlines.authenticate();
    this.#deadlines.idle();
  }

  /** Called when a request has a valid credential. Throws `TooManyConnections` if the connection is reserved for others. */
  authenticate(account: string, credential: string | undefined, isOperator: boolean): void {
    this.#credential = credential;
    if (account === this.account || (this.network === undefined && !this.isReserved)) return;
    this.#host.authenticated(this.#connection, account, isOperator);
    this.account = account;
    this.#deadlines.authenticate();
  }

  /** Called when the credential was rejected, or is no longer valid: from now on, the connection counts as unauthenticated. */
  end(): void {
    if (this.account === undefined || this.network === undefined) return;
    this.#host.unauthenticated(this.#connection);
    this.account = undefined;
    this.#credential = undefined;
    this.#deadlines.endAuthentication();
  }

  /** Ends the connection if its credential has been revoked. */
  check(isCredentialValid: (credential: string) => boolean): void {
    if (this.account !== undefined && this.#credential !== undefined && !isCredentialValid(this.#credential)) this.end();
  }
}
