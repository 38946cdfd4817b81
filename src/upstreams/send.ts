import { CallerGone } from "../vocabulary/caller-gone.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { Timeouts } from "../vocabulary/upstream-settings.ts";
import { Deadlines } from "./deadlines.ts";
import { KEPT_FOR_SECONDS, type Reachability } from "./reachability.ts";

export interface UpstreamRequest {
  readonly url: string;
  /** A body is JSON unless they say otherwise. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST; without one the request is a GET. */
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly timeouts: Timeouts;
  /** Of the address, for the sake of `connectMs`; a short call can do with `totalMs` alone. */
  readonly reachability?: Reachability;
  /** Whether the answer is expected to begin before it is whole. */
  readonly streaming: boolean;
}

/** What an upstream answered, its body still to be read. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: Headers;
  /** The whole body. */
  text(maxBytes?: number): Promise<string>;
  /** The first part of the body, for the words of a refusal; the rest is not waited for. */
  beginning(): Promise<string>;
  /** The next bytes of the body, or undefined at its end. */
  read(): Promise<Uint8Array | undefined>;
  /** Breaks the exchange off. */
  cancel(): void;
}

/** Our connections to upstreams. They are kept for less time than an upstream is taken to be there: see `Reachability`. */
const connections = new Bun.FetchSession({ keepAlive: { idleTimeout: KEPT_FOR_SECONDS }, proxy: false });

const MAX_REFUSAL_BYTES = 64 * 1024;

/** More than any model writes; a server that sends more is broken or hostile, and must not fill our memory. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/**
 * Sends one request to an upstream. The only way out of the process: no redirect is followed, no proxy of the environment
 * is used, no header of the caller goes along, and a compressed reply is not unpacked.
 */
export async function send(request: UpstreamRequest): Promise<UpstreamReply> {
  const deadlines = new Deadlines(request.signal, request.timeouts);
  try {
    if (request.reachability) void deadlines.watchConnection(request.reachability);
    if (request.streaming) deadlines.expect("the first byte", request.timeouts.firstByteMs);
    const response = await connections.fetch(request.url, {
      method: request.body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", ...request.headers, "accept-encoding": "identity" },
      body: request.body ?? null,
      signal: deadlines.signal,
      redirect: "manual",
      decompress: false,
      timeout: false,
    });
    deadlines.connected();
    request.reachability?.sawLife();
    return new FetchedReply(response, deadlines, request.timeouts.betweenChunksMs);
  } catch (error) {
    throw deadlines.explain(error);
  }
}

class FetchedReply implements UpstreamReply {
  readonly #response: Response;
  readonly #deadlines: Deadlines;
  readonly #betweenChunksMs: number;
  #reader: { read(): Promise<{ value?: Uint8Array | undefined }> } | undefined;

  constructor(response: Response, deadlines: Deadlines, betweenChunksMs: number) {
    this.#response = response;
    this.#deadlines = deadlines;
    this.#betweenChunksMs = betweenChunksMs;
  }

  get status(): number {
    return this.#response.status;
  }

  get headers(): Headers {
    return this.#response.headers;
  }

  async text(maxBytes = MAX_REPLY_BYTES): Promise<string> {
    // A reply of announced length cannot exceed it, and reading it in one piece is the cheapest way.
    const announced = Number(this.headers.get("content-length") ?? Number.NaN);
    if (announced <= maxBytes) {
      try {
        return await this.#response.text();
      } catch (error) {
        throw this.#deadlines.explain(error);
      } finally {
        this.#deadlines.stop();
      }
    }
    const chunks: Uint8Array[] = [];
    if (await this.#gather(() => this.#next(), maxBytes, chunks)) return Buffer.concat(chunks).toString("utf8");
    throw new GatewayError("upstream_error", "The upstream's answer is too large.", { detail: `more than ${maxBytes} bytes` });
  }

  async beginning(): Promise<string> {
    const chunks: Uint8Array[] = [];
    try {
      await this.#gather(() => this.read(), MAX_REFUSAL_BYTES, chunks);
    } catch (error) {
      // The status says enough, even if the words behind it stall or break off.
      if (error instanceof CallerGone) throw error;
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  read(): Promise<Uint8Array | undefined> {
    // The head of a stream may come long before its first word, which is what was waited for.
    if (!this.#deadlines.isExpecting) this.#deadlines.expect("more of the answer", this.#betweenChunksMs);
    return this.#next();
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      this.#reader ??= this.#response.body?.getReader();
      const chunk = await this.#reader?.read();
      this.#deadlines.met();
      if (chunk?.value) return chunk.value;
      this.#deadlines.stop();
      return undefined;
    } catch (error) {
      throw this.#deadlines.explain(error);
    }
  }

  /** Gathers the body. Breaks off what is larger, and says whether it was not. */
  async #gather(next: () => Promise<Uint8Array | undefined>, maxBytes: number, chunks: Uint8Array[]): Promise<boolean> {
    let total = 0;
    for (let chunk = await next(); chunk; chunk = await next()) {
      chunks.push(chunk);
      total += chunk.byteLength;
      if (total <= maxBytes) continue;
      this.cancel();
      return false;
    }
    return true;
  }

  cancel(): void {
    this.#deadlines.abort(new CallerGone());
  }
}
