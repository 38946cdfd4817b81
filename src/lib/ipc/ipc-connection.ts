import type { Socket } from "bun";
import { WriteBuffer } from "../net/write-buffer.ts";
import { LineReader } from "./line-reader.ts";

/**
 * The longest message, above the largest shipment of idempotent replies. Only processes of the same user can connect, so the bound is
 * against bugs, not attacks.
 */
const MAX_MESSAGE_BYTES = 1024 * 1024 * 1024;
const CALL_TIMEOUT_MS = 10_000;

/** The messages, each sent as one line of JSON. */
type Message =
  | ["call", id: number, method: string, body: unknown]
  | ["reply", id: number, body: unknown]
  | ["error", id: number, name: string, message: string]
  | ["notice", method: string, body: unknown];

/** The other process answered a call with an error. `code` is the name of its class. */
export class RemoteError extends Error {
  override name = "RemoteError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The connection has ended, or the other process does not answer. Whether it has executed the call is unknown. */
export class ConnectionLost extends Error {
  override name = "ConnectionLost";
}

/** The handlers of a process for the other side of a connection. */
export interface IpcHandlers {
  /** Serves a call. Its result is sent as JSON. If it throws, the name and the message of the error are sent instead. */
  readonly serve: (method: string, body: unknown) => unknown;
  /** Handles a message that has no reply. */
  readonly notice: (method: string, body: unknown) => void;
  /** Called once when the connection has ended on either side. */
  readonly closed: () => void;
}

interface PendingCall {
  readonly resolve: (body: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: Timer;
}

/**
 * A connection between two processes of one machine, over a unix socket. Both sides make calls, which have replies, and send notices, which
 * have none. Messages arrive in order. All messages of one turn of the event loop are written together, in one system call.
 */
export class IpcConnection {
  readonly #handlers: IpcHandlers;
  readonly #socket: Socket<unknown>;
  readonly #output: WriteBuffer;
  readonly #reader = new LineReader(MAX_MESSAGE_BYTES);
  readonly #pending = new Map<number, PendingCall>();
  #lastId = 0;
  #outgoing: string[] = [];
  #isEnding = false;
  #isClosed = false;

  constructor(socket: Socket<unknown>, toHandlers: (connection: IpcConnection) => IpcHandlers) {
    this.#socket = socket;
    this.#output = new WriteBuffer(socket);
    this.#handlers = toHandlers(this);
  }

  /** Resolves with the reply. Throws `RemoteError` for an error of the other side, and `ConnectionLost` if there is no reply in time. */
  call(method: string, body: unknown, timeoutMs = CALL_TIMEOUT_MS): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new ConnectionLost("the connection is closed"));
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => {
      this.#pending.delete(id);
      reject(new ConnectionLost(`${method} was not answered within ${timeoutMs} ms`));
    }, timeoutMs);
    this.#pending.set(id, { resolve, reject, timer });
    this.#send(["call", id, method, body]);
    return promise;
  }

  notify(method: string, body: unknown): void {
    if (!this.#isClosed) this.#send(["notice", method, body]);
  }

  /** Ends the connection, after everything that was sent before. Calls that have no reply yet are lost. */
  close(): void {
    if (this.#isClosed || this.#isEnding) return;
    this.#isEnding = true;
    this.#flush();
    this.#endWhenSent();
  }

  /** Called by the socket when bytes have arrived. After this side has ended the connection, nothing more is handled. */
  received(bytes: Uint8Array): void {
    for (const message of this.#read(bytes)) if (!this.#isClosed && !this.#isEnding) this.#handle(message);
  }

  /** Called by the socket when it can be written again. */
  writable(): void {
    this.#output.flush();
    if (this.#isEnding) this.#endWhenSent();
  }

  /** Called by the socket when it is closed. */
  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#output.close();
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new ConnectionLost("the connection ended before the reply"));
    }
    this.#pending.clear();
    this.#handlers.closed();
  }

  #endWhenSent(): void {
    if (!this.#output.isDrained) return;
    this.#socket.end();
    this.closed();
  }

  #read(bytes: Uint8Array): Message[] {
    try {
      return this.#reader.read(bytes).map((line) => JSON.parse(line) as Message);
    } catch {
      // This program never sends such a message, so the other side is another program.
      this.#socket.terminate();
      this.closed();
      return [];
    }
  }

  #handle(message: Message): void {
    switch (message[0]) {
      case "call":
        return void this.#serve(message[1], message[2], message[3]);
      case "reply":
        return this.#take(message[1])?.resolve(message[2]);
      case "error":
        return this.#take(message[1])?.reject(new RemoteError(message[2], message[3]));
      case "notice":
        return this.#handlers.notice(message[1], message[2]);
    }
  }

  /** Undefined if the call has timed out. */
  #take(id: number): PendingCall | undefined {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(call?.timer);
    return call;
  }

  async #serve(id: number, method: string, body: unknown): Promise<void> {
    try {
      this.#send(["reply", id, (await this.#handlers.serve(method, body)) ?? null]);
    } catch (thrown) {
      const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#send(["error", id, name, message]);
    }
  }

  #send(message: Message): void {
    if (this.#isClosed) return;
    if (this.#outgoing.length === 0) queueMicrotask(() => this.#flush());
    this.#outgoing.push(JSON.stringify(message));
  }

  #flush(): void {
    if (this.#outgoing.length === 0) return;
    const bytes = Buffer.from(`${this.#outgoing.join("\n")}\n`);
    this.#outgoing = [];
    this.#output.writeBytes(bytes);
  }
}
