import type { Socket } from "bun";
import { CannotMeasure } from "./argument.ts";
import { ChunkedReader } from "./chunked.ts";
import type { Target } from "./target.ts";

/** Receives a response while it arrives. */
export interface Listener {
  onHead(status: number): void;
  /** `at` is the time of the read in nanoseconds, by the clock of this process. */
  onBody(bytes: Buffer, at: number): void;
  /** The response is complete. */
  onEnd(): void;
  /** The rest of the response will not arrive. */
  onLost(why: string): void;
}

const HEAD_END = "\r\n\r\n";

/** A persistent HTTP/1.1 connection with one request at a time, and nothing between the socket and the listener. */
export class Connection {
  #socket: Socket<Connection> | undefined;
  #listener: Listener | undefined;
  #head: Buffer | undefined;
  #isInBody = false;
  #chunked: ChunkedReader | undefined;
  /** The remaining bytes of the body; infinite if it ends with the connection. */
  #left = 0;
  #readAt = 0;
  readonly #secured = Promise.withResolvers<void>();

  static async open(target: Target): Promise<Connection> {
    const connection = new Connection();
    try {
      connection.#socket = await Bun.connect({
        hostname: target.host,
        port: target.port,
        data: connection,
        socket: HANDLERS,
        ...(target.tls && { tls: { rejectUnauthorized: false } }),
      });
    } catch (thrown) {
      throw new CannotMeasure(`${target.host}:${target.port} cannot be reached: ${(thrown as Error).message}`);
    }
    connection.#socket.setNoDelay(true);
    if (target.tls) await connection.#secured.promise;
    return connection;
  }

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  ask(request: Buffer, listener: Listener): void {
    this.#listener = listener;
    this.#head = undefined;
    this.#isInBody = false;
    if (this.#socket === undefined || this.#socket.write(request) !== request.length) this.#lose("the request could not be written");
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Disconnects, even in the middle of a response. The listener is not called any more. */
  leave(): void {
    this.#listener = undefined;
    this.#socket?.end();
    this.#socket = undefined;
  }

  /** The TLS handshake is complete. Nothing can be written before. */
  secured(): void {
    this.#secured.resolve();
  }

  take(bytes: Buffer): void {
    this.#readAt = Bun.nanoseconds();
    try {
      if (this.#isInBody) this.#takeBody(bytes);
      else this.#takeHead(this.#head ? Buffer.concat([this.#head, bytes]) : bytes);
    } catch (thrown) {
      this.#lose((thrown as Error).message);
    }
  }

  closed(): void {
    this.#socket = undefined;
    this.#secured.resolve();
    if (this.#isInBody && this.#left === Infinity) this.#end();
    else this.#lose("the connection was closed");
  }

  #takeHead(bytes: Buffer): void {
    const end = bytes.indexOf(HEAD_END);
    this.#head = bytes;
    if (end < 0) return;
    const head = bytes.toString("latin1", 0, end);
    this.#isInBody = true;
    this.#chunked = /\r\ntransfer-encoding: *chunked/i.test(head) ? new ChunkedReader() : undefined;
    this.#left = this.#chunked ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Infinity);
    this.#listener?.onHead(Number(head.slice(9, 12)));
    this.#takeBody(bytes.subarray(end + HEAD_END.length));
  }

  #takeBody(bytes: Buffer): void {
    if (this.#chunked) {
      this.#chunked.take(bytes, (data) => this.#listener?.onBody(data, this.#readAt));
      if (this.#chunked.isDone) this.#end();
      return;
    }
    if (bytes.length > this.#left) throw new Error("bytes behind the end of the body");
    if (bytes.length > 0) this.#listener?.onBody(bytes, this.#readAt);
    this.#left -= bytes.length;
    if (this.#left === 0) this.#end();
  }

  #end(): void {
    this.#head = undefined;
    this.#isInBody = false;
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onEnd();
  }

  #lose(why: string): void {
    const listener = this.#listener;
    this.leave();
    listener?.onLost(why);
  }
}

const HANDLERS = {
  handshake: (socket: Socket<Connection>) => socket.data.secured(),
  data: (socket: Socket<Connection>, bytes: Buffer) => socket.data.take(bytes),
  close: (socket: Socket<Connection>) => socket.data.closed(),
  error: (socket: Socket<Connection>) => socket.data.closed(),
};
