import type { Socket } from "bun";
import type { PouredBody, Reply } from "../reply.ts";
import { Outbox } from "./outbox.ts";
import { ReplySink } from "./reply-sink.ts";
import type { RequestBody } from "./request-body.ts";
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
  /** What is said to somebody whose request cannot be read or is not wanted, or whose reply cannot be written. */
  refuse(thrown: unknown): Reply;
  /** A connection that was to end has nothing under way any more. */
  rested(): void;
}

/** What a connection has before it has shown a key, and again after each answer. A head must be whole in that time. */
export const IDLE_TIMEOUT_SECONDS = 30;
/** What may come before it is read. An unfinished head has no more; how much of a whole one is too much is said in words, by `answer`. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** Whoever was refused in the middle of sending may go on for a while before it looks, but not for ever. */
const LINGER_SECONDS = 2;
const MAX_LINGER_SECONDS = 30;

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const NOTHING = Buffer.alloc(0);
const CR = 0x0d;
const LF = 0x0a;

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
  #isPaused = false;
  /** No more requests are read. It is shut when all is sent. */
  #isLast = false;
  /** Why it is not to be read. */
  #unwanted: Error | undefined;
  /** Nothing is sent any more, and what comes is dropped, since then. */
  #shutAt: number | undefined;
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
    if (this.#shutAt !== undefined) return this.#linger(this.#shutAt);
    if (this.#unwanted && !this.#isLast) return this.#refuse(this.#unwanted);
    const rest = this.#feedBody(bytes);
    if (rest.length === 0 || this.#isLast) return;
    // One who sends a head byte by byte gets no more time for it than others.
    if (this.#unread.length === 0) this.#stayAlive();
    this.#unread = this.#unread.length === 0 ? rest : Buffer.concat([this.#unread, rest]);
    if (!this.#request) this.#readHead();
    this.#pauseOrResume();
  }

  /** The caller can take more. */
  drained(): void {
    if (this.#outbox.flush()) this.#stayAlive();
    this.#goOn();
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#outbox.close();
    this.#request?.callerLeft();
    this.#pouring?.cancel();
  }

  /** Ends it where it has been silent for too long. */
  checkSilence(): void {
    if (this.#silenceSeconds === 0 || this.#host.seconds - this.#aliveAt <= this.#silenceSeconds) return;
    // A reset would take from a slow caller what the system still has to send.
    if (this.#shutAt !== undefined) this.#socket.end();
    else this.cut();
  }

  /** Ends it now if nothing is under way, else after the reply. */
  finish(): void {
    this.#isLast = true;
    this.#goOn();
  }

  /** Reads nothing, and says why to whoever asks. Before that it would be no reply, and some clients take it for a broken connection. */
  turnAway(why: Error): void {
    this.#unwanted = why;
  }

  cut(): void {
    this.#socket.terminate();
  }

  get address(): string | null {
    return this.#isClosed ? null : this.#socket.remoteAddress;
  }

  askForBody(): void {
    if (this.#request?.headers.awaitsContinue) this.#outbox.sendText(CONTINUE, CONTINUE.length);
    this.#pauseOrResume();
  }

  allowSilence(request: WireRequest, seconds: number): void {
    // One that ends after its reply has no say any more: the connection may be another's.
    if (request !== this.#request) return;
    this.#silenceSeconds = seconds;
    this.#stayAlive();
  }

  #linger(since: number): void {
    if (this.#host.seconds - since < MAX_LINGER_SECONDS) this.#stayAlive();
  }

  #stayAlive(): void {
    this.#aliveAt = this.#host.seconds;
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
    this.#stayAlive();
    const taken = this.#feed(body, bytes);
    this.#pauseOrResume();
    this.#goOn();
    return bytes.subarray(taken);
  }

  #feed(body: RequestBody, bytes: Buffer): number {
    const taken = body.feed(bytes);
    // Where the next request would begin cannot be known.
    if (body.isBroken) this.#isLast = true;
    return taken;
  }

  #readHead(): void {
    try {
      const end = this.#unread.indexOf(END_OF_HEAD);
      if (end >= 0) this.#begin(new RequestHead(this.#unread.toString("latin1", startOfHead(this.#unread), end + 2)), end + 4);
      else refuseHopeless(this.#unread);
    } catch (error) {
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
    const request = new WireRequest(head, this);
    const rest = this.#unread.subarray(bodyStart);
    this.#request = request;
    this.#hasReplied = false;
    const taken = rest.length === 0 ? 0 : this.#feed(request.body, rest);
    // A view of nothing would keep all that came, for as long as the reply takes.
    this.#unread = taken === rest.length ? NOTHING : rest.subarray(taken);
    void this.#host.answer(request).then((reply) => this.#reply(request, reply));
  }

  #reply(request: WireRequest, reply: Reply): void {
    if (this.#isClosed) return reply.cancel();
    this.#stayAlive();
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

  #finishReply(): void {
    if (this.#isClosed) return;
    this.#hasReplied = true;
    this.#pouring = undefined;
    this.#silenceSeconds = IDLE_TIMEOUT_SECONDS;
    this.#stayAlive();
    this.#request!.body.drop();
    this.#pauseOrResume();
    this.#goOn();
  }

  /**
   * Reads the next request, or shuts, once the one before is over: its reply was taken, and its body has come, wanted or not. Whoever
   * asks on and takes nothing would have us keep a reply to each.
   */
  #goOn(): void {
    if (this.#shutAt !== undefined || this.#isClosed || !this.#outbox.hasRoom || this.#isUnderWay) return;
    this.#request = undefined;
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
    this.#shutAt = this.#host.seconds;
    this.#unread = NOTHING;
    this.#socket.shutdown();
    this.#silenceSeconds = LINGER_SECONDS;
    this.#stayAlive();
    this.#host.rested();
  }
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
  if (bytes.length > MAX_UNREAD_BYTES) throw new BadRequest("its headers have no end");
}
