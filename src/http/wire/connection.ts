import type { Socket } from "bun";
import type { PouredBody, Reply } from "../reply.ts";
import { Outbox } from "./outbox.ts";
import { ReplySink } from "./reply-sink.ts";
import { BadRequest, RequestHead } from "./request-head.ts";
import { WireRequest, type Carrier } from "./wire-request.ts";
import { writeReply } from "./write-reply.ts";

/** What a listener's connections have in common. */
export interface Host {
  /** Seconds since it began, more or less: nothing here needs to know them better. */
  readonly seconds: number;
  /** The time of day, for the header of that name. */
  readonly date: string;
  /** Whether every reply is to be the last of its connection. */
  readonly isDraining: boolean;
  /** Has a request answered. Never rejects. */
  answer(request: WireRequest): Promise<Reply>;
  /** What is said to somebody whose request cannot be read, or whose reply cannot be written. */
  refuse(thrown: unknown): Reply;
  /** A connection that was to end has nothing under way any more. */
  rested(): void;
}

/** What a connection has before it has shown a key, and again after each answer. A head must be whole in that time. */
export const IDLE_TIMEOUT_SECONDS = 30;
/** What an unfinished head may take; how much of a whole one is too much is said in words, by `answer`. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Whoever was refused in the middle of sending may need a moment to see it. */
const LINGER_SECONDS = 2;

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const NOTHING = Buffer.alloc(0);

/** One connection: reads a request, has it answered, and only then goes on to the next. */
export class Connection implements Carrier {
  readonly #host: Host;
  readonly #socket: Socket<Connection>;
  readonly #outbox: Outbox;
  /** What came and belongs to no request yet. */
  #unread: Buffer = NOTHING;
  #request: WireRequest | undefined;
  #hasReplied = false;
  #pouring: PouredBody | undefined;
  #silenceSeconds = IDLE_TIMEOUT_SECONDS;
  #aliveAt: number;
  /** No more requests are read. It is closed when all is sent. */
  #isLast = false;
  #isClosed = false;

  constructor(socket: Socket<Connection>, host: Host) {
    this.#socket = socket;
    this.#outbox = new Outbox(socket);
    this.#host = host;
    this.#aliveAt = host.seconds;
  }

  /** Whether a reply is under way, to its last byte. */
  get isBusy(): boolean {
    return !this.#isClosed && (this.#request !== undefined || !this.#outbox.hasRoom);
  }

  received(bytes: Buffer): void {
    const rest = this.#feedBody(bytes);
    if (rest.length === 0 || this.#isLast) return;
    // One who sends a head byte by byte gets no more time for it than others.
    if (this.#unread.length === 0) this.#aliveAt = this.#host.seconds;
    this.#unread = this.#unread.length === 0 ? rest : Buffer.concat([this.#unread, rest]);
    if (!this.#request) this.#readHead();
    else if (this.#unread.length > MAX_HEAD_BYTES) this.#socket.pause();
  }

  /** The caller can take more. */
  drained(): void {
    if (this.#outbox.flush()) this.#aliveAt = this.#host.seconds;
    this.#closeIfDone();
  }

  closed(): void {
    this.#isClosed = true;
    this.#outbox.close();
    this.#request?.callerLeft();
    this.#pouring?.cancel();
  }

  /** Ends it where it has been silent for too long. */
  checkSilence(): void {
    if (this.#silenceSeconds > 0 && this.#host.seconds - this.#aliveAt > this.#silenceSeconds) this.cut();
  }

  /** Ends it now if nothing is under way, else after the reply. */
  finish(): void {
    this.#isLast = true;
    this.#closeIfDone();
  }

  cut(): void {
    this.#socket.terminate();
  }

  get address(): string | null {
    return this.#isClosed ? null : this.#socket.remoteAddress;
  }

  askForBody(): void {
    if (this.#request?.headers.awaitsContinue) this.#outbox.sendText(CONTINUE, CONTINUE.length);
    this.#socket.resume();
  }

  allowSilence(request: WireRequest, seconds: number): void {
    // One that ends after its reply has no say any more: the connection may be another's.
    if (request !== this.#request) return;
    this.#silenceSeconds = seconds;
    this.#aliveAt = this.#host.seconds;
  }

  /** Takes what belongs to the body of the request under way, and gives back what does not. */
  #feedBody(bytes: Buffer): Buffer {
    const body = this.#request?.body;
    if (!body || body.isEnded) return bytes;
    this.#aliveAt = this.#host.seconds;
    const taken = body.feed(bytes);
    // Where the next request would begin cannot be known.
    if (body.isBroken) this.#isLast = true;
    if (body.isFull) this.#socket.pause();
    if (this.#hasReplied) this.#goOn();
    return bytes.subarray(taken);
  }

  #readHead(): void {
    try {
      const end = this.#unread.indexOf(END_OF_HEAD);
      if (end >= 0) this.#begin(new RequestHead(this.#unread.toString("latin1", startOfHead(this.#unread), end + 2)), end + 4);
      else if (this.#unread.length > MAX_HEAD_BYTES) throw new BadRequest("its headers have no end");
    } catch (error) {
      this.#isLast = true;
      this.#send(this.#host.refuse(error));
      this.#closeIfDone();
    }
  }

  #begin(head: RequestHead, bodyStart: number): void {
    const request = new WireRequest(head, this);
    const rest = this.#unread.subarray(bodyStart);
    this.#request = request;
    this.#hasReplied = false;
    this.#unread = rest.length === 0 ? NOTHING : rest.subarray(request.body.feed(rest));
    void this.#host.answer(request).then((reply) => this.#reply(request, reply));
  }

  #reply(request: WireRequest, reply: Reply): void {
    if (this.#isClosed) return reply.cancel();
    this.#aliveAt = this.#host.seconds;
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
    this.#pouring.pour(new ReplySink(this.#outbox, request.headers.takesParts, (isWhole) => (isWhole ? this.#finishReply() : this.cut())));
  }

  #send(reply: Reply, request?: WireRequest): PouredBody | undefined {
    const inParts = request?.headers.takesParts ?? true;
    const manner = { date: this.#host.date, isLast: this.#isLast, inParts, isHeadOnly: request?.method === "HEAD" };
    return writeReply(reply, manner, this.#outbox);
  }

  /** The next request is read once the body of this one has been, wanted or not. */
  #finishReply(): void {
    if (this.#isClosed) return;
    this.#hasReplied = true;
    this.#pouring = undefined;
    if (!this.#request!.body.isEnded) {
      this.#request!.body.drop();
      this.#socket.resume();
    }
    this.#goOn();
  }

  #goOn(): void {
    if (!this.#request!.body.isEnded && !this.#isLast) return;
    this.#request = undefined;
    this.#silenceSeconds = IDLE_TIMEOUT_SECONDS;
    this.#aliveAt = this.#host.seconds;
    if (this.#isLast) return this.#closeIfDone();
    if (this.#unread.length === 0) return;
    this.#socket.resume();
    this.#readHead();
  }

  /** What is unread when a socket is closed has the system reset the connection, and the caller may not see the reply. So it is only shut. */
  #closeIfDone(): void {
    if (!this.#isLast || this.#request || !this.#outbox.hasRoom || this.#isClosed) return;
    this.#socket.shutdown();
    this.#silenceSeconds = LINGER_SECONDS;
    this.#aliveAt = this.#host.seconds;
    this.#host.rested();
  }
}

/** An empty line before a request is no part of it (RFC 9112 §2.2). */
function startOfHead(bytes: Buffer): number {
  return bytes[0] === 0x0d && bytes[1] === 0x0a ? 2 : 0;
}
