import type { ByteText } from "../../lib/text/byte-text.ts";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import { ApiError } from "../../requests/api-error.ts";
import { next, type Source, type Consumer } from "../../lib/async/source.ts";
import type { Timeouts } from "../../models/timeouts.ts";
import { Deadlines } from "./deadlines.ts";
import type { Destination } from "./destination.ts";
import type { HeadersRead } from "./headers-read.ts";
import { BufferedBytes } from "./buffered-bytes.ts";
import type { Connection } from "../../lib/http1/client/connection.ts";
import { ClientExchange } from "../../lib/http1/client/exchange.ts";
import type { ResponseHead } from "../../lib/http1/client/response-head.ts";
import { writeHead } from "../../lib/http1/client/request-head.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

export interface UpstreamRequest {
  readonly destination: Destination;
  /** Relative to the base URL. */
  readonly path: string;
  /** A body is JSON unless `content-type` is set. */
  readonly headers: Readonly<Record<string, string>>;
  /** `PUT`, without a body, is required by the metadata service of AWS. By default, `POST` with a body and `GET` without one. */
  readonly method?: "PUT";
  readonly body?: readonly ByteText[] | Uint8Array;
  readonly signal: CancelSignal;
  readonly timeouts: Timeouts;
  /** The time from which timeouts count, by `performance.now()`, if the call has waited for credentials or was sent before. */
  readonly startedAtMs?: number;
  /** Whether a stream is expected, so that `firstByteMs` applies. */
  readonly streaming: boolean;
}

/** An upstream's response, with its body still to be read. */
export interface UpstreamReply extends Source<Uint8Array> {
  readonly status: number;
  readonly headers: HeadersRead & Iterable<[string, string]>;
  /** The whole body; synchronously if it has arrived. */
  text(maxBytes?: number): Promise<string> | string;
  /** The start of the body, for an error message; the rest is discarded. */
  beginning(): Promise<string>;
  /** Discards the rest of the body, for at most `lingerMs`, so that the connection can be reused. */
  leave(lingerMs: number): void;
  /** Cancels the exchange. */
  cancel(): void;
}

const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Larger than any real response, even with the log probabilities of each token; a server that sends more is broken or hostile. The
 * sum over all responses is bounded by `BufferedBytes`.
 */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/**
 * Sends one request to an upstream. The only egress of the process besides `SmtpMailer`. It dials checked addresses and never a name,
 * unless the operator lets a proxy resolve names. It follows no redirects, and does not decompress responses.
 */
export async function send(request: UpstreamRequest): Promise<UpstreamReply> {
  const { destination, timeouts, body } = request;
  const deadlines = new Deadlines(request.signal, timeouts, request.startedAtMs);
  try {
    if (request.streaming) deadlines.expect("the first byte", timeouts.firstByteMs, request.startedAtMs);
    const head = headOf(request);
    for (let isResent = false; ; isResent = true) {
      deadlines.requireTime();
      // The other pooled connections have probably been closed as well, so the request is resent on a new one.
      const pooled = isResent ? undefined : destination.pooledConnection();
      const connection = pooled ?? (await connect(destination, timeouts, deadlines));
      const exchange = new ClientExchange(connection, deadlines);
      deadlines.guarded = exchange;
      try {
        const replyHead = await exchange.send(head, body);
        destination.markReachable(connection.address);
        return new HttpReply(replyHead, exchange, deadlines, timeouts.betweenChunksMs);
      } catch (error) {
        if (!pooled || !mayResend(exchange, { startsWork: body !== undefined, afterMs: deadlines.elapsedMs })) throw error;
      }
    }
  } catch (error) {
    throw deadlines.explain(error);
  }
}

/** A body is JSON unless its headers say otherwise. */
function headOf({ destination, path, headers, body, method }: UpstreamRequest): string {
  const target = destination.basePath + path;
  if (method === "PUT") return `${writeHead("PUT", destination.host, target, headers)}content-length: 0\r\n\r\n`;
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
    // A connection that arrives too late for this call goes to the pool.
    return await deadlines.waitFor(destination.connect(connectMs), (late) => late.release(Number.POSITIVE_INFINITY), destination.via);
  } catch (error) {
    destination.markUnreachable();
    throw error;
  }
}

class HttpReply implements UpstreamReply {
  readonly #head: ResponseHead;
  readonly #exchange: ClientExchange;
  readonly #deadlines: Deadlines;
  readonly #betweenChunksMs: number;

  constructor(head: ResponseHead, exchange: ClientExchange, deadlines: Deadlines, betweenChunksMs: number) {
    this.#head = head;
    this.#exchange = exchange;
    this.#deadlines = deadlines;
    this.#betweenChunksMs = betweenChunksMs;
  }

  get status(): number {
    return this.#head.status;
  }

  get headers(): ResponseHead["headers"] {
    return this.#head.headers;
  }

  text(maxBytes = MAX_REPLY_BYTES): Promise<string> | string {
    const whole = this.#exchange.takeText(maxBytes);
    return whole === undefined ? this.#textInPieces(maxBytes) : withoutByteOrderMark(whole);
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
    return withoutByteOrderMark(Buffer.concat(chunks).toString("utf8"));
  }

  async beginning(): Promise<string> {
    const chunks: Uint8Array[] = [];
    try {
      await this.#gather(this, MAX_ERROR_BYTES, chunks);
    } catch (error) {
      // The status is enough, even if the body stalls or is cut short.
      if (error instanceof CallerGone) throw error;
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  read(consumer: Consumer<Uint8Array>): void {
    // The head of a stream may arrive long before its first chunk, so the first-byte deadline also covers the first chunk.
    if (!this.#deadlines.isExpecting) this.#deadlines.expect("more of the response", this.#betweenChunksMs);
    this.#exchange.read(consumer);
  }

  /** Collects the body. Cancels if it exceeds `maxBytes`. Returns whether it stayed within the limit. */
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
    this.#deadlines.expect("the end of the response", lingerMs);
    this.#exchange.drop();
  }

  cancel(): void {
    this.#deadlines.abort(new CallerGone());
  }
}

/** A leading byte order mark is not part of the text. */
function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function tooLarge(maxBytes: number): ApiError {
  const detail = `more than ${maxBytes} bytes`;
  return new ApiError("upstream_error", "The upstream's response is too large.", { detail, fault: { kind: "broken" } });
}

/**
 * If a server closes an idle connection while a request is on its way, the client notices within a round trip. This limit is longer than
 * any round trip, and shorter than the idle timeouts of proxies (30 s and more), which close connections while the server still works on
 * the request.
 */
const RACE_MS = 15_000;

/**
 * Whether a request that failed on a reused connection may be sent again, on a new one. It may if nothing was sent, or if the connection
 * was closed before the first byte of a reply: some servers close connections despite announcing keep-alive. llama.cpp does so after each
 * stream: it shuts down its side right after the last chunk, despite `Keep-Alive: timeout=5`, and discards everything that it receives
 * afterwards.
 *
 * RFC 9110 §9.2.2 permits this for a POST only if the server is known not to have applied the request. This is not certain, but such an
 * early close is almost always the race of RFC 9112 §9.5. curl, Chrome and Firefox resend in this case, too. At worst, the upstream does
 * the work twice; the caller is charged once.
 */
export function mayResend(
  exchange: { readonly wasSent: boolean; readonly hasReceived: boolean },
  request: { readonly startsWork: boolean; readonly afterMs: number },
): boolean {
  if (!exchange.wasSent) return true;
  return !exchange.hasReceived && (!request.startsWork || request.afterMs < RACE_MS);
}
