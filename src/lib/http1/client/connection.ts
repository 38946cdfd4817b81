import type { ByteText } from "../../text/byte-text.ts";

/** The current user of a connection. */
export interface ConnectionUser {
  received(bytes: Buffer): void;
  /** Called when the connection was closed, with the error if an error closed it. No further call follows. */
  closed(error: unknown): void;
}

/**
 * Scratch memory in which a head and its body are joined and encoded, so that they take one write: two would be two packets and two system
 * calls. All connections share it, because the kernel has copied it when a write returns. Allocating memory for each prompt of 100 KB
 * would cost more than filling it.
 */
const SCRATCH = Buffer.allocUnsafeSlow(256 * 1024);

/** The pool that a connection belongs to. */
export interface ConnectionOwner {
  /** The IP address of its connections. */
  readonly address: string;
  /** Stores an idle connection for another request, for at most this time. */
  keep(connection: Connection, forMs: number): void;
  /** A connection has ended. */
  forget(connection: Connection): void;
}

/** A connection to a server. It carries one request at a time. */
export class Connection {
  readonly #owner: ConnectionOwner;
  /** When the idle connection must be closed, according to the server's Keep-Alive. */
  usableUntilMs = Number.POSITIVE_INFINITY;
  idleSinceMs = 0;
  readonly #socket: Bun.Socket<unknown>;
  #user: ConnectionUser | undefined;
  /** Bytes that the kernel has not accepted yet. */
  #unsent: Uint8Array[] = [];
  #isOpen = true;
  /** Whether any byte of the request was written. */
  #isBegun = false;
  #isPaused = false;
  #isUnreferenced = false;

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

  /** Sends a request, whose head is ASCII. Returns false if the connection is closed and nothing was sent. */
  send(head: string, body: readonly ByteText[] | Uint8Array | undefined, user: ConnectionUser): boolean {
    this.#user = user;
    this.#isBegun = false;
    if (!this.#isOpen) return false;
    let filled = this.#append(head, 0);
    const isBytes = body instanceof Uint8Array;
    if (body && !isBytes) for (const piece of body) filled = this.#append(piece, filled);
    this.#writeScratch(filled);
    if (isBytes) this.#writeBytes(body);
    return this.#isBegun;
  }

  /** Appends text to the scratch memory, which is written whenever it is full. Returns how much of it is filled. */
  #append(text: string, offset: number): number {
    let filled = offset;
    let rest = text;
    while (rest.length > SCRATCH.length - filled) {
      const copied = SCRATCH.write(rest, filled, "latin1");
      this.#writeScratch(filled + copied);
      rest = rest.slice(copied);
      filled = 0;
    }
    return filled + SCRATCH.write(rest, filled, "latin1");
  }

  #writeScratch(size: number): void {
    const written = this.#write(SCRATCH, size);
    if (written < size) this.#unsent.push(Buffer.from(SCRATCH.subarray(written, size)));
  }

  #writeBytes(bytes: Uint8Array): void {
    const written = this.#write(bytes, bytes.length);
    if (written < bytes.length) this.#unsent.push(bytes.subarray(written));
  }

  /** The number of bytes that the kernel accepted; all bytes if the connection is already closed. */
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

  received(bytes: Buffer): void {
    if (this.#user) this.#user.received(bytes);
    // Bytes that arrive without a request must not be mistaken for the next response.
    else this.abort();
  }

  /** Back-pressure: received bytes stay in the kernel, and the server has to wait. */
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

  /** Called when the response is complete. A reusable connection returns to the pool for at most this time. */
  release(keepAliveMs: number): void {
    this.#user = undefined;
    this.resume();
    if (keepAliveMs > 0 && this.#unsent.length === 0) this.#owner.keep(this, keepAliveMs);
    else this.close();
  }

  /** An idle connection must not keep the process alive. */
  unref(): void {
    if (this.#isUnreferenced) return;
    this.#isUnreferenced = true;
    this.#socket.unref();
  }

  /** A connection in use must keep the process alive: Bun does not poll sockets if nothing else keeps the process alive. */
  ref(): void {
    if (!this.#isUnreferenced) return;
    this.#isUnreferenced = false;
    this.#socket.ref();
  }

  /** Closes the connection gracefully. */
  close(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#socket.end();
  }

  /** Resets the connection, even if the server is still writing. */
  abort(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#socket.terminate();
  }

  #end(): void {
    this.#user = undefined;
    this.#unsent = [];
    this.#isOpen = false;
    this.#owner.forget(this);
  }

  /** Called when the server has closed the connection. */
  closed(error: unknown): void {
    const user = this.#user;
    this.#end();
    user?.closed(error);
  }
}
