import type { ByteText } from "../../lib/text/byte-text.ts";
import { CallerGone } from "../../requests/caller-gone.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { next, type Source, type Consumer } from "../../lib/async/source.ts";
import type { Timeouts } from "../../models/upstream-settings.ts";
import { Deadlines } from "./deadlines.ts";
import type { Destination } from "./destination.ts";
import type { HeadersRead } from "./headers-read.ts";
import { BufferedBytes } from "./buffered-bytes.ts";
import { mayResend } from "./may-resend.ts";
import type { Connection } from "../../lib/http1/client/connection.ts";
import { Exchange } from "../../lib/http1/client/exchange.ts";
import type { ReplyHead } from "../../lib/http1/client/reply-head.ts";
import { writeHead } from "../../lib/http1/client/request-head.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

export interface UpstreamRequest {
  readonly destination: Destination;
  /** Below the base address. */
  readonly path: string;
  /** A body is JSON unless they say otherwise. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST, its pieces in one; without one the request is a GET. */
  readonly body?: readonly ByteText[] | Uint8Array;
  readonly signal: CancelSignal;
  readonly timeouts: Timeouts;
  /** Whether the answer is expected to begin before it is whole. */
  readonly streaming: boolean;
}

/** What an upstream answered, its body still to be read. */
export interface UpstreamReply extends Source<Uint8Array> {
  readonly status: number;
  readonly headers: HeadersRead & Iterable<[string, string]>;
  /** The whole body; at once where it is there. */
  text(maxBytes?: number): Promise<string> | string;
  /** The first part of the body, for the words of a refusal; the rest is not waited for. */
  beginning(): Promise<string>;
  /** Nothing further is read: the rest is waited for this long, so that the connection can be used again. */
  leave(lingerMs: number): void;
  /** Breaks the exchange off. */
  cancel(): void;
}

const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * More than any model writes, even with the log-probabilities of each token; a server that sends more is broken or hostile. How much
 * all of them take together is bounded by `BufferedBytes`.
 */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/**
 * Sends one request to an upstream. The only way out of the process: it dials addresses that were checked and never a name,
 * no redirect is followed, no proxy of the environment is used, no header of the caller goes along, and a compressed reply
 * is not unpacked.
 */
export async function send(request: UpstreamRequest): Promise<UpstreamReply> {
  const { destination, timeouts, body } = request;
  const deadlines = new Deadlines(request.signal, timeouts);
  try {
    if (request.streaming) deadlines.expect("the first byte", timeouts.firstByteMs);
    const head = headOf(request);
    for (let isResent = false; ; isResent = true) {
      deadlines.requireTime();
      // The other kept connections have probably been closed as well, so the request is sent again on a new one.
      const kept = isResent ? undefined : destination.keptConnection();
      const connection = kept ?? (await connect(destination, timeouts, deadlines));
      const exchange = new Exchange(connection, deadlines);
      deadlines.guarded = exchange;
      try {
        const replyHead = await exchange.ask(head, body);
        destination.sawLife(connection.place.address);
        return new WiredReply(replyHead, exchange, deadlines, timeouts.betweenChunksMs);
      } catch (error) {
        if (!kept || !mayResend(exchange, { asksForWork: body !== undefined, afterMs: deadlines.elapsedMs })) throw error;
      }
    }
  } catch (error) {
    throw deadlines.explain(error);
  }
}

/** A body is JSON unless its headers say otherwise. */
function headOf({ destination, path, headers, body }: UpstreamRequest): string {
  const target = destination.basePath + path;
  if (body === undefined) return `${writeHead("GET", destination.host, target, headers)}\r\n`;
  const type = headers["content-type"] === undefined ? "content-type: application/json\r\n" : "";
  return `${writeHead("POST", destination.host, target, headers)}${type}content-length: ${lengthOf(body)}\r\n\r\n`;
}

function lengthOf(body: readonly ByteText[] | Uint8Array): number {
  if (body instanceof Uint8Array) return body.length;
  let length = 0;
  for (const piece of body) length += piece.length;
  return length;
}

async function connect(destination: Destination, { connectMs }: Timeouts, deadlines: Deadlines): Promise<Connection> {
  try {
    // One that comes too late for this call is there for the next.
    return await deadlines.waitFor(destination.connect(connectMs), (late) => late.release(Number.POSITIVE_INFINITY));
  } catch (error) {
    destination.sawNoLife();
    throw error;
  }
}

class WiredReply implements UpstreamReply {
  readonly #head: ReplyHead;
  readonly #exchange: Exchange;
  readonly #deadlines: Deadlines;
  readonly #betweenChunksMs: number;

  constructor(head: ReplyHead, exchange: Exchange, deadlines: Deadlines, betweenChunksMs: number) {
    this.#head = head;
    this.#exchange = exchange;
    this.#deadlines = deadlines;
    this.#betweenChunksMs = betweenChunksMs;
  }

  get status(): number {
    return this.#head.status;
  }

  get headers(): ReplyHead["headers"] {
    return this.#head.headers;
  }

  text(maxBytes = MAX_REPLY_BYTES): Promise<string> | string {
    const whole = this.#exchange.takeText(maxBytes);
    return whole === undefined ? this.#textInPieces(maxBytes) : withoutMark(whole);
  }

  async #textInPieces(maxBytes: number): Promise<string> {
    const held = new BufferedBytes();
    try {
      return await this.#gatherAll(maxBytes, held);
    } catch (error) {
      this.cancel();
      throw error;
    } finally {
      held.hold(0);
    }
  }

  async #gatherAll(maxBytes: number, held: BufferedBytes): Promise<string> {
    const announced = this.#exchange.announcedBytes;
    if (announced > maxBytes) throw tooLarge(maxBytes);
    if (announced >= 0) held.hold(announced);
    const chunks: Uint8Array[] = [];
    const isAll = await this.#gather(this.#exchange, maxBytes, chunks, (bytes) => held.hold(Math.max(bytes, announced || 0)));
    if (!isAll) throw tooLarge(maxBytes);
    return withoutMark(Buffer.concat(chunks).toString("utf8"));
  }

  async beginning(): Promise<string> {
    const chunks: Uint8Array[] = [];
    try {
      await this.#gather(this, MAX_REFUSAL_BYTES, chunks);
    } catch (error) {
      // The status says enough, even if the words behind it stall or break off.
      if (error instanceof CallerGone) throw error;
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  read(taker: Consumer<Uint8Array>): void {
    // The head of a stream may come long before its first word, which is what was waited for.
    if (!this.#deadlines.isExpecting) this.#deadlines.expect("more of the answer", this.#betweenChunksMs);
    this.#exchange.read(taker);
  }

  /** Gathers the body. Breaks off what is larger, and says whether it was not. */
  async #gather(body: Source<Uint8Array>, maxBytes: number, chunks: Uint8Array[], onMore?: (total: number) => void): Promise<boolean> {
    let total = 0;
    for (let chunk = await next(body); chunk; chunk = await next(body)) {
      chunks.push(chunk);
      total += chunk.byteLength;
      onMore?.(total);
      if (total <= maxBytes) continue;
      this.cancel();
      return false;
    }
    return true;
  }

  leave(lingerMs: number): void {
    this.#deadlines.expect("the end of the answer", lingerMs);
    this.#exchange.drop();
  }

  cancel(): void {
    this.#deadlines.abort(new CallerGone());
  }
}

/** A mark of the byte order at the beginning is not part of a text. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function tooLarge(maxBytes: number): GatewayError {
  const detail = `more than ${maxBytes} bytes`;
  return new GatewayError("upstream_error", "The upstream's answer is too large.", { detail, fault: { kind: "broken" } });
}
