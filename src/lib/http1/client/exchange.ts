import type { Source, Consumer } from "../../async/source.ts";
import type { ByteText } from "../../text/byte-text.ts";
import { framingOf, type Framed } from "./body-framing.ts";
import type { Connection, Listener } from "./connection.ts";
import { canBeginHead, hasBareLineFeed, MAX_HEAD_BYTES, readHead, type ResponseHead } from "./response-head.ts";
import { connectionClosed, invalidResponse } from "./connection-error.ts";

/** What nobody has read yet may be this much before the other side has to wait. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** So much of a body is given at a time: whoever makes text of it holds several times as much. The system may bring eight times that. */
const MAX_PIECE_BYTES = 64 * 1024;

/** Provisional replies (1xx) say that the reply is still to come. Nobody has to say that more often. */
const MAX_PROVISIONAL = 100;

/** Hears how an exchange goes on. */
export interface Watch {
  /** A piece of the body was read. */
  met(): void;
  /** The reply is whole: there is nothing left to wait for. */
  stop(): void;
  /** It has failed: what is to be thrown. */
  explain(error: unknown): Error;
}

/** What an exchange needs of its connection. */
export type Carrier = Pick<Connection, "send" | "pause" | "resume" | "release" | "breakOff">;

/** One request and its reply, on a connection that is theirs until the reply is whole. */
export class Exchange implements Listener, Source<Uint8Array> {
  readonly #connection: Carrier;
  readonly #watch: Watch;
  /** Whether the other side may have seen any of the request. */
  wasSent = false;
  /** Whether any byte of a reply has come. */
  hasHeard = false;
  #waitsForHead: PromiseWithResolvers<ResponseHead> | undefined;
  #waitsForBody: Consumer<Uint8Array> | undefined;
  /** The beginning of a head whose end has not come. */
  #halfHead: Buffer | undefined;
  #provisional = 0;
  #framed: Framed | undefined;
  /** A body that came whole behind its head: most replies of JSON do, and need no view of their own. */
  #first: Buffer | undefined;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #isWhole = false;
  #isDropping = false;
  #failure: Error | undefined;

  constructor(connection: Carrier, watch: Watch) {
    this.#connection = connection;
    this.#watch = watch;
  }

  /** How many bytes the body has; NaN where nothing has said so. */
  get announcedBytes(): number {
    return this.#framed?.body.announced ?? Number.NaN;
  }

  /** Sends the request, and gives the head of its reply. */
  ask(head: string, body?: readonly ByteText[] | Uint8Array): Promise<ResponseHead> {
    this.#waitsForHead = Promise.withResolvers();
    this.wasSent = this.#connection.send(head, body, this);
    if (!this.wasSent) this.breakOff(connectionClosed());
    return this.#waitsForHead.promise;
  }

  /** All of the body as text, where all of it is there and has come as one; of not more than so many bytes. */
  takeText(maxBytes: number): string | undefined {
    const bytes = this.#first;
    if (!this.#isWhole || !bytes || this.#unread.length > 0) return undefined;
    const { start, end } = this.#framed!.body;
    if (end - start > maxBytes) return undefined;
    this.#first = undefined;
    return bytes.toString("utf8", start, end);
  }

  /** Gives the next bytes of the body. */
  read(taker: Consumer<Uint8Array>): void {
    this.#openFirst();
    const piece = this.#takePiece();
    if (piece) {
      if (this.#unread.length === 0 && !this.#isWhole) this.#connection.resume();
      this.#watch.met();
      taker.take(piece);
    } else if (this.#failure) taker.fail(this.#failure);
    else if (this.#isWhole) taker.end();
    else this.#waitsForBody = taker;
  }

  /** What is still to come is of no interest, but its end is: with it the connection can be used again. */
  drop(): void {
    this.#isDropping = true;
    this.#first = undefined;
    this.#unread = [];
    // A connection whose reply is whole may be another's by now.
    if (!this.#isWhole) this.#connection.resume();
  }

  /** Ends the exchange, and the connection with it: what may still come on it is of no use. */
  breakOff(reason: Error): void {
    if (this.#isWhole || this.#failure) return;
    this.#connection.breakOff();
    this.#fail(reason);
  }

  heard(bytes: Buffer): void {
    try {
      if (this.#framed) this.#takeBody(bytes, 0);
      else this.#takeHead(bytes);
    } catch (error) {
      this.breakOff(error as Error);
    }
  }

  /** The end of the connection is the end of a body that has no other. It must be an orderly one. */
  closed(error: unknown): void {
    if (this.#isWhole || this.#failure) return;
    if (!this.#framed?.body.endsByClose || error !== undefined) return this.#fail(connectionClosed(error));
    this.#end();
    this.#takeWaiting()?.end();
  }

  #takeHead(came: Buffer): void {
    this.hasReceived = true;
    const half = this.#halfHead;
    const bytes = half ? Buffer.concat([half, came]) : came;
    const end = bytes.indexOf("\r\n\r\n", half ? Math.max(0, half.length - 3) : 0, "latin1") + 4;
    if (end < 4 ? bytes.length > MAX_HEAD_BYTES : end > MAX_HEAD_BYTES)
      throw invalidResponse(`a head of more than ${MAX_HEAD_BYTES} bytes`);
    if (end < 4) return this.#keepHalfHead(bytes, half?.length ?? 0);
    this.#halfHead = undefined;
    const head = readHead(bytes.toString("latin1", 0, end));
    if (head.status < 200) this.#takeProvisional(head.status, bytes.subarray(end));
    else this.#begin(head, bytes, end);
  }

  /** Waits for the rest of a head, unless no rest can make it one. */
  #keepHalfHead(bytes: Buffer, newFrom: number): void {
    if (!canBeginHead(bytes) || hasBareLineFeed(bytes, newFrom)) throw invalidResponse("a head that is none");
    this.#halfHead = bytes;
  }

  #takeProvisional(status: number, rest: Buffer): void {
    if (status === 101) throw invalidResponse("another protocol, which nobody asked for");
    if (++this.#provisional > MAX_PROVISIONAL) throw invalidResponse(`more than ${MAX_PROVISIONAL} provisional replies`);
    if (rest.length > 0) this.#takeHead(rest);
  }

  #begin(head: ResponseHead, bytes: Buffer, at: number): void {
    this.#framed = framingOf(head);
    // Its status counts, whatever follows in the same read.
    this.#waitsForHead!.resolve(head);
    this.#waitsForHead = undefined;
    this.#takeBody(bytes, at);
  }

  #takeBody(bytes: Buffer, from: number): void {
    const { body } = this.#framed!;
    body.cut(bytes, from);
    // Before anybody hears of the last bytes: whatever is made of them, the connection is free.
    if (body.isWhole) this.#end();
    if (body.isWhole && from > 0) this.#first = bytes;
    else if (body.end > body.start && !this.#isDropping) this.#give(bytes.subarray(body.start, body.end));
    if (body.isWhole) this.#takeWaiting()?.end();
  }

  /** What came whole behind its head is a piece like any other to those who read in pieces. */
  #openFirst(): void {
    const bytes = this.#first;
    if (!bytes) return;
    this.#first = undefined;
    const { start, end } = this.#framed!.body;
    if (end <= start) return;
    this.#unread.push(bytes.subarray(start, end));
    this.#unreadBytes += end - start;
  }

  #give(piece: Uint8Array): void {
    const waiting = this.#takeWaiting();
    if (!waiting) return this.#keep(piece);
    this.#watch.met();
    if (piece.length <= MAX_PIECE_BYTES) return waiting.take(piece);
    this.#keep(piece);
    waiting.take(this.#takePiece()!);
  }

  /** Who waits for bytes, and is now told of some. */
  #takeWaiting(): Consumer<Uint8Array> | undefined {
    const waiting = this.#waitsForBody;
    this.#waitsForBody = undefined;
    return waiting;
  }

  #keep(piece: Uint8Array): void {
    this.#unread.push(piece);
    this.#unreadBytes += piece.length;
    // One batch is nothing out of the way: its reader is about to be told. A second one is.
    if (!this.#isWhole && (this.#unread.length > 1 || this.#unreadBytes > MAX_UNREAD_BYTES)) this.#connection.pause();
  }

  #takePiece(): Uint8Array | undefined {
    const [first] = this.#unread;
    if (!first) return undefined;
    const piece = first.length > MAX_PIECE_BYTES ? first.subarray(0, MAX_PIECE_BYTES) : first;
    if (piece === first) this.#unread.shift();
    else this.#unread[0] = first.subarray(MAX_PIECE_BYTES);
    this.#unreadBytes -= piece.length;
    return piece;
  }

  #end(): void {
    this.#isWhole = true;
    this.#watch.stop();
    const { body, keptForMs } = this.#framed!;
    // What came behind the end is the beginning of a reply that nobody asked for: who read it as the next would be lied to.
    if (body.excess > 0) this.#connection.breakOff();
    else this.#connection.release(keptForMs);
  }

  #fail(error: Error): void {
    // Whoever waits for the head may try again, and finds the words if not.
    if (this.#waitsForHead) this.#failure = error;
    else this.#failure = this.#watch.explain(error);
    this.#waitsForHead?.reject(this.#failure);
    this.#takeWaiting()?.fail(this.#failure);
  }
}
