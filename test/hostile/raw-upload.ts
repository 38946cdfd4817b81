import { connect, type Socket } from "node:net";

export interface UploadOptions {
  readonly key: string;
  /** The value of the Content-Length header. */
  readonly length: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A chat completion over a new socket. The test controls how its body is sent, and may leave it incomplete. */
export class RawUpload {
  readonly #socket: Socket;
  readonly #connected: Promise<void>;
  /** All received bytes. */
  received = "";
  isClosed = false;

  constructor(baseUrl: string, { key, length, headers = {} }: UploadOptions) {
    const { port, hostname, host, pathname } = new URL(baseUrl);
    this.#socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true, noDelay: true });
    this.#connected = new Promise((resolve) => this.#socket.on("connect", resolve).on("close", () => resolve()));
    this.#socket.on("data", (data) => (this.received += data.toString("latin1")));
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => (this.isClosed = true));
    const framing = headers["transfer-encoding"] === undefined ? { "content-length": length } : {};
    const all = { host, authorization: `Bearer ${key}`, "content-type": "application/json", ...framing, ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket.write(`POST ${pathname}/chat/completions HTTP/1.1\r\n${lines.join("")}\r\n`);
  }

  get isConnected(): Promise<void> {
    return this.#connected;
  }

  /** 0 while there is no reply. */
  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.received)?.[1] ?? 0);
  }

  get code(): string | undefined {
    return /"code":"(\w+)"/.exec(this.received)?.[1];
  }

  get message(): string | undefined {
    return /"message":"([^"]+)"/.exec(this.received)?.[1];
  }

  /** Whether all data given to `send` has left this process. */
  get isSent(): boolean {
    return this.#socket.writableLength === 0;
  }

  send(bytes: Buffer | string): void {
    if (!this.isClosed) this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }
}
