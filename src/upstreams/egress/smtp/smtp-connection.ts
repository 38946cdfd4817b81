import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { addressIn } from "../../../lib/net/ip-address.ts";

/** A reply of a mail server: its code, and its lines without the code. */
export interface SmtpReply {
  readonly code: number;
  readonly lines: readonly string[];
}

/** A reply is a few lines of at most 512 characters (RFC 5321 §4.5.3.1.5). A server that sends more is broken or hostile. */
const MAX_REPLY_CHARS = 64 * 1024;

const REPLY_LINE = /^(\d{3})([ -]?)(.*)$/;

/** A connection to a mail server, on which one command is sent at a time (RFC 5321). It ends when the signal aborts. */
export class SmtpConnection {
  #socket: Socket;
  #received = "";
  #lines: string[] = [];
  #waiting: PromiseWithResolvers<SmtpReply> | undefined;
  #failure: Error | undefined;

  /** Connects to an IP address, never to a name. */
  static async open(address: string, port: number, signal: AbortSignal): Promise<SmtpConnection> {
    const socket = connect({ host: address, port });
    const connection = new SmtpConnection(socket, signal);
    await connection.#established("connect");
    return connection;
  }

  private constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    this.#listen();
    signal.addEventListener("abort", () => this.#fail(new Error("it did not reply in time")), { once: true });
    if (signal.aborted) this.#fail(new Error("it did not reply in time"));
  }

  /** The client's own name: its address (RFC 5321 §4.1.3). */
  get ownName(): string {
    const { localAddress = "127.0.0.1" } = this.#socket;
    return localAddress.includes(":") ? `[IPv6:${localAddress}]` : `[${localAddress}]`;
  }

  /** Encrypts the connection, and verifies the certificate for the host name. */
  async encrypt(hostname: string, ca: string | undefined): Promise<void> {
    // An attacker on the network path could have injected commands or replies before the encryption started (CVE-2011-0411).
    if (this.#received !== "" || this.#lines.length > 0) throw new Error("it sent data before the encryption began");
    const plain = this.#socket;
    plain.removeAllListeners("data");
    const servername = addressIn(hostname) === undefined ? hostname : "";
    // Set explicitly, so that no environment variable can switch it off.
    this.#socket = connectTls({ socket: plain, host: hostname, servername, rejectUnauthorized: true, ...(ca !== undefined && { ca }) });
    this.#listen();
    await this.#established("secureConnect");
  }

  /** Sends a line, and waits for the reply. */
  command(line: string): Promise<SmtpReply> {
    if (/[\r\n]/.test(line)) throw new Error("a command has one line");
    return this.send(`${line}\r\n`);
  }

  /** Sends text unchanged, and waits for the reply. */
  send(text: string): Promise<SmtpReply> {
    const reply = this.read();
    this.#socket.write(text);
    return reply;
  }

  /** The next reply. */
  read(): Promise<SmtpReply> {
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    if (this.#failure) this.#waiting.reject(this.#failure);
    else this.#parse();
    return promise;
  }

  /** Ends the connection politely, without waiting for the reply. */
  close(): void {
    if (!this.#failure) this.#socket.end("QUIT\r\n");
    this.#failure ??= new Error("the connection was closed");
    this.#socket.destroySoon();
  }

  #listen(): void {
    this.#socket.on("data", (bytes: Buffer) => {
      this.#received += bytes.toString("latin1");
      if (this.#received.length > MAX_REPLY_CHARS) return this.#fail(new Error("its reply is too long"));
      this.#parse();
    });
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => this.#fail(new Error("it closed the connection")));
  }

  async #established(event: "connect" | "secureConnect"): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.#failure) throw this.#failure;
    this.#socket.once(event, resolve);
    this.#socket.once("error", reject);
    this.#socket.once("close", () => reject(this.#failure ?? new Error("it closed the connection")));
    await promise;
  }

  /** Takes the complete lines. All lines of a reply except the last have a hyphen after the code. */
  #parse(): void {
    for (let end = this.#received.indexOf("\n"); this.#waiting && end >= 0; end = this.#received.indexOf("\n")) {
      const line = this.#received.slice(0, end).replace(/\r$/, "");
      this.#received = this.#received.slice(end + 1);
      const [, code, more, text] = REPLY_LINE.exec(line) ?? [];
      if (code === undefined) return this.#fail(new Error("it does not speak SMTP"));
      this.#lines.push(text!);
      if (more === "-") continue;
      const lines = this.#lines;
      this.#lines = [];
      this.#waiting.resolve({ code: Number(code), lines });
      this.#waiting = undefined;
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
    this.#socket.destroy();
  }
}
