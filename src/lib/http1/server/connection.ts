import type { Socket } from "bun";
import type { StreamBody, Reply } from "./reply.ts";
import { Deadlines } from "./deadlines.ts";
import { endOfHead, MAX_UNREAD_BYTES, readHead, withoutSpare } from "./read-head.ts";
import type { ListenerContext } from "./listener-context.ts";
import { WriteBuffer } from "./write-buffer.ts";
import { ReplyBodyWriter } from "./reply-body-writer.ts";
import type { RequestBody } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import { ServerRequest, type Carrier } from "./server-request.ts";
import { CLOSE_LINE, writeReply } from "./write-reply.ts";

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const NOTHING = Buffer.alloc(0);

/** One connection: reads a request, has it answered, and only then goes on to the next. */
export class Connection implements Carrier {
  readonly #host: ListenerContext<Connection>;
  readonly #socket: Socket<Connection>;
  readonly #outbox: WriteBuffer;
  /** What came and belongs to no request yet. */
  #unread: Buffer = NOTHING;
  #request: ServerRequest | undefined;
  #hasReplied = false;
  #isRejection = false;
  #pouring: StreamBody | undefined;
  readonly #deadlines: Deadlines;
  #isPaused = false;
  /** No more requests are read. It is shut when all is sent. */
  #isLast = false;
  /** Why it is not to be read. */
  #unwanted: Error | undefined;
  /** Nothing is sent any more, and what comes is dropped. */
  #isShut = false;
  #isClosed = false;

  constructor(socket: Socket<Connection>, host: ListenerContext<Connection>) {
    this.#socket = socket;
    this.#outbox = new WriteBuffer(socket);
    this.#host = host;
    this.#deadlines = new Deadlines(host);
  }

  /** Whether a reply is under way, to its last byte. */
  get isBusy(): boolean {
    return !this.#isClosed && (this.#request !== undefined || !this.#outbox.hasRoom);
  }

  /** Whether no request is unanswered, and all replies were taken. */
  get #isIdle(): boolean {
    return (this.#request === undefined || this.#hasReplied) && this.#outbox.hasRoom;
  }

  /** Whether it may be closed for another one: it has had the time to show a credential, and no answer is being made for it. */
  get isReplaceable(): boolean {
    const isAnswering = this.#request !== undefined && !this.#hasReplied && this.#request.body.isEnded;
    return !isAnswering && !this.isYoung;
  }

  get isYoung(): boolean {
    return this.#deadlines.isYoung;
  }

  received(bytes: Buffer): void {
    if (this.#isShut) return this.#deadlines.stayAlive();
    if (this.#unwanted && !this.#isLast) return this.#refuse(this.#unwanted);
    const rest = this.#feedBody(bytes);
    if (rest.length === 0 || this.#isLast) return;
    // One who sends a head byte by byte gets no more time for it than others.
    if (this.#unread.length === 0 && this.#request) this.#deadlines.stayAlive();
    else if (this.#unread.length === 0) this.#deadlines.beginHead();
    this.#unread = this.#unread.length === 0 ? rest : Buffer.concat([this.#unread, rest]);
    if (!this.#request) this.#readHead();
    this.#pauseOrResume();
  }

  /** The caller can take more. */
  drained(): void {
    if (this.#outbox.flush()) this.#deadlines.stayAlive();
    this.#goOn();
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#outbox.close();
    this.#request?.callerLeft();
    this.#pouring?.cancel();
  }

  /** Ends it, or the upload on it, where that has had its time. */
  checkDeadlines(): void {
    if (this.#deadlines.isSendingTooLong) return this.#endSending();
    if (this.#isUploading && this.#deadlines.isUploadTooSlow) return this.#endUpload();
    if (this.#deadlines.isSilent) return this.#endSilent();
    if (this.#isIdle && !this.#isLast && this.#deadlines.isUnauthenticatedTooLong) this.#endUnauthenticated();
  }

  /** Ends it now if nothing is under way, else after the reply. */
  finish(): void {
    this.#isLast = true;
    this.#goOn();
  }

  /** Reads nothing, and says why to whoever asks. Before that it would be no reply, and some clients take it for a broken connection. */
  rejectOverload(why: Error): void {
    this.#unwanted = why;
  }

  cut(): void {
    this.#socket.terminate();
  }

  /** Closes it without a reset, which would take from a slow caller what the system still has to send. */
  close(): void {
    this.#socket.end();
  }

  /** Takes it for one of a caller with a valid credential. */
  trust(): void {
    this.#deadlines.authenticate();
    this.#deadlines.idle();
  }

  markAuthenticated(): void {
    if (this.#deadlines.isAuthenticated) return;
    this.#deadlines.authenticate();
    this.#host.authenticated(this);
  }

  get address(): string | null {
    return this.#isClosed ? null : this.#socket.remoteAddress;
  }

  askForBody(): void {
    if (this.#request?.headers.awaitsContinue) this.#outbox.sendText(CONTINUE, CONTINUE.length);
    this.#pauseOrResume();
  }

  setIdleTimeout(request: ServerRequest, seconds: number): void {
    // One that ends after its reply has no say any more: the connection may be another's.
    if (request === this.#request) this.#deadlines.setIdleTimeout(seconds);
  }

  /** An idle one is closed without a reset, which a client could take for a failure of the request that it sends meanwhile. */
  #endSilent(): void {
    if (this.#isShut) this.close();
    else if (this.isBusy || this.#unread.length > 0 || this.#unwanted) this.cut();
    else this.finish();
  }

  get #isUploading(): boolean {
    return this.#request !== undefined && !this.#request.body.isEnded && !this.#request.body.isBroken;
  }

  #endSending(): void {
    if (!this.#isShut) this.#host.noteClosure("rejected_upload");
    this.close();
  }

  /** The reply to it, if it has none yet, says why. */
  #endUpload(): void {
    this.#isLast = true;
    if (!this.#hasReplied) this.#request!.body.expire(this.#deadlines.uploadSeconds);
    this.#goOn();
  }

  #endUnauthenticated(): void {
    this.#host.noteClosure("unauthenticated");
    this.finish();
  }

  /** What cannot be read yet waits with the caller. */
  #pauseOrResume(): void {
    const hasTooMuch = this.#unread.length > MAX_UNREAD_BYTES || (this.#request?.body.isFull ?? false);
    if (hasTooMuch === this.#isPaused) return;
    this.#isPaused = hasTooMuch;
    if (hasTooMuch) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Takes what belongs to the body of the request under way, and gives back what does not. */
  #feedBody(bytes: Buffer): Buffer {
    const body = this.#request?.body;
    if (!body || body.isEnded) return bytes;
    this.#deadlines.stayAlive();
    const taken = this.#feed(body, bytes);
    this.#pauseOrResume();
    this.#goOn();
    return taken === bytes.length ? NOTHING : withoutSpare(bytes.subarray(taken));
  }

  #feed(body: RequestBody, bytes: Buffer): number {
    const taken = body.feed(bytes);
    // Where the next request would begin cannot be known.
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
    this.#goOn();
  }

  #begin(head: RequestHead, bodyStart: number): void {
    const request = new ServerRequest(head, this, this.#host.bodies);
    const rest = this.#unread.subarray(bodyStart);
    this.#request = request;
    this.#hasReplied = false;
    const taken = rest.length === 0 ? 0 : this.#feed(request.body, rest);
    // A view of nothing would keep all that came, for as long as the reply takes.
    this.#unread = taken === rest.length ? NOTHING : withoutSpare(rest.subarray(taken));
    if (!request.body.isEnded) this.#deadlines.beginUpload();
    void this.#host.answer(request).then((reply) => this.#reply(request, reply));
  }

  #reply(request: ServerRequest, reply: Reply): void {
    request.replied();
    if (this.#isClosed) return reply.cancel();
    this.#deadlines.stayAlive();
    this.#isRejection = reply.status >= 400;
    if (this.#isRejection) this.#deadlines.reject();
    // Whoever waits for leave to send a body, and gets a reply instead, may send it or not.
    const isUnsure = request.headers.awaitsContinue && !request.body.isEnded;
    if (!request.headers.keepsAlive || this.#host.isDraining || isUnsure) this.#isLast = true;
    try {
      this.#pouring = this.#send(reply, request);
    } catch (error) {
      reply.cancel();
      this.#send(this.#host.refuse(error), request);
    }
    if (!this.#pouring) return this.#finishReply();
    this.#pouring.writeTo(
      new ReplyBodyWriter(this.#outbox, request.headers.takesParts, (isWhole) => (isWhole ? this.#finishReply() : this.cut())),
    );
  }

  #send(reply: Reply, request?: ServerRequest): StreamBody | undefined {
    const inParts = request?.headers.takesParts ?? true;
    const connection = this.#isLast ? CLOSE_LINE : this.#deadlines.keepAliveLines;
    const manner = { date: this.#host.date, connection, inParts, isHeadOnly: request?.method === "HEAD" };
    return writeReply(reply, manner, this.#outbox);
  }

  #finishReply(): void {
    if (this.#isClosed) return;
    this.#hasReplied = true;
    this.#pouring = undefined;
    this.#deadlines.beginHead();
    if (this.#isRejection && this.#isUploading) this.#deadlines.limitSending();
    this.#pauseOrResume();
    this.#goOn();
  }

  /**
   * Reads the next request, or shuts, once the one before is over: its reply was taken, and its body has come, wanted or not. Whoever
   * asks on and takes nothing would have us keep a reply to each.
   */
  #goOn(): void {
    if (this.#isShut || this.#isClosed || !this.#outbox.hasRoom || this.#isUnderWay) return;
    this.#request = undefined;
    this.#deadlines.beginAgain(this.#unread.length === 0);
    if (this.#isLast) this.#shut();
    else if (this.#unread.length > 0) this.#takeTurn();
    this.#pauseOrResume();
  }

  get #isUnderWay(): boolean {
    return this.#request !== undefined && !(this.#hasReplied && (this.#isLast || this.#request.body.isEnded));
  }

  /** Of those who send many requests at once each waits for the others' turns: they could keep everybody else waiting. */
  #takeTurn(): void {
    setImmediate(() => {
      if (this.#isClosed || this.#isLast || this.#request) return;
      this.#readHead();
      this.#pauseOrResume();
    });
  }

  /** What is unread when a socket is closed has the system reset the connection, and the caller may not see the reply. So it is only shut. */
  #shut(): void {
    this.#isShut = true;
    this.#unread = NOTHING;
    this.#socket.shutdown();
    this.#deadlines.linger();
    this.#host.rested();
  }
}
