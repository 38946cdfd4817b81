import type { ByteText } from "../../text/byte-text.ts";

/** Whoever has the use of a connection, and hears what comes over it. */
export interface Listener {
  heard(bytes: Buffer): void;
  /** It is closed, by an error where there is one. Nothing else is heard after it. */
  closed(error: unknown): void;
}

/**
 * Where text is put together and becomes bytes, so that it goes in one write: two would be two packets, and two calls of the system.
 * There is one desk for all connections, because the system has a copy of its own when a write returns. A prompt of 100 KB would
 * otherwise have memory of its own for each, which costs more than to fill it.
 */
const DESK = Buffer.allocUnsafeSlow(256 * 1024);

/** The pool that a connection belongs to. */
export interface ConnectionOwner {
  /** The IP address of its connections. */
  readonly address: string;
  /** Keeps an idle connection for another request, for so long at most. */
  keep(connection: Connection, forMs: number): void;
  /** A connection has ended. */
  forget(connection: Connection): void;
}

/** An open connection. It carries one request at a time. */
export class Connection {
  readonly #owner: ConnectionOwner;
  /** When it has to be closed if nobody has used it, by what the server said. */
  usableUntilMs = Number.POSITIVE_INFINITY;
  keptAtMs = 0;
  readonly #socket: Bun.Socket<unknown>;
  #listener: Listener | undefined;
  /** What the system had no room for yet. */
  #unsent: Uint8Array[] = [];
  #isOpen = true;
  /** Whether anything of the request was written. */
  #isBegun = false;
  #isPaused = false;
  #isResting = false;

  constructor(owner: ConnectionOwner, socket: Bun.Socket<unknown>) {
    this.#owner = owner;
    this.#socket = socket;
  }

  get address(): string {
    return this.#owner.address;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a request, whose head is ASCII. Says whether it could be begun: nothing is sent on a connection that is closed. */
  send(head: string, body: readonly ByteText[] | Uint8Array | undefined, listener: Listener): boolean {
    this.#listener = listener;
    this.#isBegun = false;
    if (!this.#isOpen) return false;
    let laid = this.#lay(head, 0);
    const isBytes = body instanceof Uint8Array;
    if (body && !isBytes) for (const piece of body) laid = this.#lay(piece, laid);
    this.#writeDesk(laid);
    if (isBytes) this.#writeBytes(body);
    return this.#isBegun;
  }

  /** Lays text on the desk, behind what is there. Writes what is there whenever it is full, and says how much is left on it. */
  #lay(text: string, behind: number): number {
    let laid = behind;
    let rest = text;
    while (rest.length > DESK.length - laid) {
      const copied = DESK.write(rest, laid, "latin1");
      this.#writeDesk(laid + copied);
      rest = rest.slice(copied);
      laid = 0;
    }
    return laid + DESK.write(rest, laid, "latin1");
  }

  #writeDesk(size: number): void {
    const written = this.#write(DESK, size);
    if (written < size) this.#unsent.push(Buffer.from(DESK.subarray(written, size)));
  }

  #writeBytes(bytes: Uint8Array): void {
    const written = this.#write(bytes, bytes.length);
    if (written < bytes.length) this.#unsent.push(bytes.subarray(written));
  }

  /** How much of it the system took; all of it where that is the same by now. */
  #write(bytes: Uint8Array, size: number): number {
    const written = this.#unsent.length === 0 ? this.#socket.write(bytes, 0, size) : 0;
    if (written < 0) return size;
    this.#isBegun = true;
    return written;
  }

  drained(): void {
    for (let next = this.#unsent[0]; next !== undefined; next = this.#unsent[0]) {
      const written = this.#socket.write(next);
      if (written < 0) return;
      if (written < next.length) {
        this.#unsent[0] = next.subarray(written);
        return;
      }
      this.#unsent.shift();
    }
  }

  heard(bytes: Buffer): void {
    if (this.#listener) this.#listener.heard(bytes);
    // Nobody has asked: whatever it is, it must not be taken for the next reply.
    else this.breakOff();
  }

  /** What comes from now on stays with the system, and the other side has to wait. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** The reply is whole. The connection is kept for so long, if it is fit for another request. */
  release(keptForMs: number): void {
    this.#listener = undefined;
    this.resume();
    if (keptForMs > 0 && this.#unsent.length === 0) this.#owner.keep(this, keptForMs);
    else this.close();
  }

  /** It is only kept: that must not keep a command from ending. */
  rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#socket.unref();
  }

  /** Whoever waits for a reply must not be left alone: Bun does not even look at sockets where nothing keeps it from ending. */
  wake(): void {
    if (!this.#isResting) return;
    this.#isResting = false;
    this.#socket.ref();
  }

  /** Closes it in an orderly way. */
  close(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#socket.end();
  }

  /** Ends it at once: the other side is told by a reset, also where it is still writing. */
  breakOff(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#socket.terminate();
  }

  #end(): void {
    this.#listener = undefined;
    this.#unsent = [];
    this.#isOpen = false;
    this.#owner.forget(this);
  }

  /** The other side has closed it. */
  closed(error: unknown): void {
    const listener = this.#listener;
    this.#end();
    listener?.closed(error);
  }
}
