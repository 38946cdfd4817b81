import { connect, type Socket } from "node:net";

/** A request as it is sent. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RawReply {
  /** 0 if the connection was closed without a response. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** The error code, if the response is a problem or an error. */
  readonly code: string;
}

/**
 * HTTP written by hand, one request after the other on one connection. Paths, hosts and headers are sent unchanged: every client library
 * would normalize them, but an attacker would not.
 */
export class RawConnection {
  readonly #url: URL;
  #socket: Socket | undefined;
  #received = Buffer.alloc(0);
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /**
   * If this machine stalls for some seconds, the server's idle timeout may close a reused connection just as the request is sent. Like
   * every client, it then sends the request again on a new connection (RFC 9112 §9.3.1).
   */
  async ask(request: RawRequest): Promise<RawReply> {
    const isReused = this.#socket !== undefined;
    const reply = await this.#askOnce(request);
    return isReused && reply.status === 0 ? this.#askOnce(request) : reply;
  }

  async #askOnce(request: RawRequest): Promise<RawReply> {
    this.send(headOf(request, this.#url.host) + (request.body ?? ""));
    return this.reply(request.method === "HEAD");
  }

  /** Sends a request without the end of its body, which must be sent later. Resolves when its head has been accepted. */
  async begin({ headers, ...request }: Required<RawRequest>): Promise<string> {
    const half = Math.floor(request.body.length / 2);
    this.send(headOf({ ...request, headers: { ...headers, expect: "100-continue" } }, this.#url.host));
    const { status, text } = await this.reply();
    if (status !== 100) throw new Error(`The head was answered with ${status}: ${text}`);
    this.send(request.body.slice(0, half));
    return request.body.slice(half);
  }

  send(text: string): void {
    this.#open().write(text);
  }

  /** The next response, once it is complete. */
  async reply(isHead = false): Promise<RawReply> {
    for (;;) {
      const found = this.#take(isHead);
      if (found) return found;
      if (this.#isOver) {
        this.close();
        return { status: 0, headers: new Map(), text: "", code: "" };
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    if (this.#socket && !this.#isOver) return this.#socket;
    this.#isOver = false;
    this.#received = Buffer.alloc(0);
    const socket = connect(Number(this.#url.port), this.#url.hostname);
    socket.on("data", (data) => {
      this.#received = Buffer.concat([this.#received, Buffer.from(data)]);
      this.#wake();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#isOver = true;
      this.#wake();
    });
    this.#socket = socket;
    return socket;
  }

  #take(isHead: boolean): RawReply | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [first, ...lines] = this.#received.subarray(0, end).toString("latin1").split("\r\n");
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const isChunked = !isHead && headers.get("transfer-encoding") === "chunked";
    const length = isHead ? 0 : Number(headers.get("content-length") ?? 0);
    const body = isChunked ? chunksIn(this.#received, end + 4) : bytesIn(this.#received, end + 4, length);
    if (!body) return undefined;
    this.#received = this.#received.subarray(body.end);
    const text = body.bytes.toString();
    if (headers.get("connection") === "close") this.close();
    return { status: Number(first!.split(" ")[1]), headers, text, code: codeIn(text) };
  }
}

/** A body, and the position of its end. */
interface RawResponse {
  readonly bytes: Buffer;
  readonly end: number;
}

function bytesIn(received: Buffer, start: number, length: number): RawResponse | undefined {
  const end = start + length;
  return received.length < end ? undefined : { bytes: received.subarray(start, end), end };
}

/** Chunks up to the empty chunk that ends them (RFC 9112 §7.1). */
function chunksIn(received: Buffer, start: number): RawResponse | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const line = received.indexOf("\r\n", at);
    const length = Number.parseInt(received.subarray(at, Math.max(at, line)).toString(), 16);
    const chunk = line < 0 ? undefined : bytesIn(received, line + 2, length + 2);
    if (!chunk) return undefined;
    at = chunk.end;
    if (length === 0) return { bytes: Buffer.concat(chunks), end: at };
    chunks.push(chunk.bytes.subarray(0, length));
  }
}

/** Sends all requests over a few connections, and passes on each response when it arrives. */
export async function askAll<R extends RawRequest>(
  url: string,
  requests: readonly R[],
  hear: (request: R, reply: RawReply) => void,
): Promise<void> {
  const connections = Array.from({ length: 8 }, () => new RawConnection(url));
  await askOver(connections, requests, hear);
  for (const connection of connections) connection.close();
}

/** Sends requests like `askAll`, over connections that stay open. */
export async function askOver<R extends RawRequest>(
  connections: readonly RawConnection[],
  requests: readonly R[],
  hear: (request: R, reply: RawReply) => void,
): Promise<void> {
  const waiting = requests.values();
  await Promise.all(
    connections.map(async (connection) => {
      for (const request of waiting) hear(request, await connection.ask(request));
    }),
  );
}

function headOf({ method, path, headers, body }: RawRequest, host: string): string {
  const all: Record<string, string> = {
    host,
    ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

function codeIn(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? "";
}
