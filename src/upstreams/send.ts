import { CallerGone } from "../vocabulary/caller-gone.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { Timeouts } from "../vocabulary/upstream-settings.ts";
import { Deadlines } from "./deadlines.ts";
import type { Destination } from "./destination.ts";
import { HeldBytes } from "./held-bytes.ts";
import { KEPT_FOR_SECONDS } from "./reachability.ts";
import { isNotConnected, isRefused } from "./unreachable.ts";

export interface UpstreamRequest {
  readonly destination: Destination;
  /** Below the base address. */
  readonly path: string;
  /** A body is JSON unless they say otherwise. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST; without one the request is a GET. */
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  readonly timeouts: Timeouts;
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

const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * More than any model writes, even with the log-probabilities of each token; a server that sends more is broken or hostile. How much
 * all of them take together is bounded by `HeldBytes`.
 */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/**
 * Sends one request to an upstream. The only way out of the process: it dials addresses that were checked and never a name,
 * no redirect is followed, no proxy of the environment is used, no header of the caller goes along, and a compressed reply
 * is not unpacked.
 */
export async function send(request: UpstreamRequest): Promise<UpstreamReply> {
  const deadlines = new Deadlines(request.signal, request.timeouts);
  try {
    if (request.streaming) deadlines.expect("the first byte", request.timeouts.firstByteMs);
    const addresses = request.destination.keptAddresses() ?? (await findAddresses(request, deadlines));
    const response = await fetchFromFirst(addresses, request, deadlines.signal);
    deadlines.connected();
    return new FetchedReply(response, deadlines, request.timeouts.betweenChunksMs);
  } catch (error) {
    throw deadlines.explain(error);
  }
}

/** Before a call that has to open a connection. Of several addresses, one that takes connections is found first. */
async function findAddresses({ destination, timeouts }: UpstreamRequest, deadlines: Deadlines): Promise<readonly string[]> {
  const addresses = await deadlines.waitFor(destination.addresses());
  const opening = destination.openFirst(addresses, timeouts.connectMs);
  if (addresses.length > 1) return deadlines.waitFor(opening);
  void deadlines.watchConnection(opening);
  return addresses;
}

/** Asks at the first address. At the next only where the first refused the connection: nothing is asked twice. */
async function fetchFromFirst(addresses: readonly string[], request: UpstreamRequest, signal: AbortSignal): Promise<Response> {
  const { destination, path, headers, body } = request;
  const address = addresses[0]!;
  try {
    const response = await connectionsFor(destination.serverName).fetch(destination.urlAt(address, path), {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", ...headers, host: destination.host, "accept-encoding": "identity" },
      body: body ?? null,
      signal,
      redirect: "manual",
      decompress: false,
      timeout: false,
    });
    destination.sawLife(address);
    return response;
  } catch (error) {
    if (isNotConnected(error)) destination.sawNoLife();
    if (addresses.length === 1 || !isRefused(error)) throw error;
    return fetchFromFirst(addresses.slice(1), request, signal);
  }
}

/** Our connections to upstreams, by the name in their certificates. */
const sessions = new Map<string | undefined, Bun.FetchSession>();

function connectionsFor(serverName: string | undefined): Bun.FetchSession {
  const known = sessions.get(serverName);
  if (known) return known;
  const session = new Bun.FetchSession({
    // They are kept for less time than an upstream is taken to be there: see `Reachability`.
    keepAlive: { idleTimeout: KEPT_FOR_SECONDS },
    proxy: false,
    // Said here, so that no variable of the environment can switch it off.
    tls: { rejectUnauthorized: true, ...(serverName !== undefined && { serverName }) },
  });
  sessions.set(serverName, session);
  return session;
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
    const held = new HeldBytes();
    try {
      return await this.#whole(maxBytes, held);
    } catch (error) {
      this.cancel();
      throw error;
    } finally {
      held.hold(0);
    }
  }

  async #whole(maxBytes: number, held: HeldBytes): Promise<string> {
    const announced = this.#announcedBytes();
    if (announced > maxBytes) throw tooLarge(maxBytes);
    if (announced >= 0) {
      held.hold(announced);
      return this.#announced();
    }
    const chunks: Uint8Array[] = [];
    const isAll = await this.#gather(
      () => this.#next(),
      maxBytes,
      chunks,
      (bytes) => held.hold(bytes),
    );
    if (!isAll) throw tooLarge(maxBytes);
    return Buffer.concat(chunks).toString("utf8");
  }

  /** A body of announced length cannot exceed it, and reading it in one piece is the cheapest way. */
  async #announced(): Promise<string> {
    try {
      return await this.#response.text();
    } catch (error) {
      throw this.#deadlines.explain(error);
    } finally {
      this.#deadlines.stop();
    }
  }

  /** NaN where nothing says so. Beside parts a length means nothing (RFC 9112 §6.3): who believed it would read without end. */
  #announcedBytes(): number {
    const { headers } = this;
    return headers.has("transfer-encoding") ? Number.NaN : Number(headers.get("content-length") ?? Number.NaN);
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
  async #gather(
    next: () => Promise<Uint8Array | undefined>,
    maxBytes: number,
    chunks: Uint8Array[],
    onMore?: (total: number) => void,
  ): Promise<boolean> {
    let total = 0;
    for (let chunk = await next(); chunk; chunk = await next()) {
      chunks.push(chunk);
      total += chunk.byteLength;
      onMore?.(total);
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

function tooLarge(maxBytes: number): GatewayError {
  const detail = `more than ${maxBytes} bytes`;
  return new GatewayError("upstream_error", "The upstream's answer is too large.", { detail, fault: { kind: "broken" } });
}
