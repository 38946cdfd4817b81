import type { Socket } from "bun";

/**
 * Where a head and the bytes behind it are put together, so that they go in one write: two would be two packets, and two calls of the
 * system. There is one desk for all connections, because the system has a copy of its own when a write returns.
 */
const DESK = Buffer.allocUnsafeSlow(64 * 1024);

/** What is sent over a socket, and what of it the caller has not taken yet. */
export class WriteBuffer {
  readonly #socket: Socket<unknown>;
  #unsent: Uint8Array[] = [];
  #waiting: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  constructor(socket: Socket<unknown>) {
    this.#socket = socket;
  }

  get unsentBytes(): number {
    return this.#unsent.reduce((sum, bytes) => sum + bytes.byteLength, 0);
  }

  /** Whether the caller has taken all of it. */
  get hasRoom(): boolean {
    return this.#unsent.length === 0;
  }

  /** Resolves when it has, or has left. */
  room(): Promise<void> {
    if (this.hasRoom) return Promise.resolve();
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Sends a text, of which the sender knows how many bytes it has. */
  sendText(text: string, bytes: number): void {
    if (this.#isClosed) return;
    const taken = this.hasRoom ? this.#socket.write(text) : 0;
    if (taken < bytes) this.#keep(Buffer.from(text).subarray(Math.max(taken, 0)));
  }

  sendBytes(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const taken = this.hasRoom ? this.#socket.write(bytes) : 0;
    if (taken < bytes.byteLength) this.#keep(bytes.subarray(Math.max(taken, 0)));
  }

  /** Sends a head, in which each character is one byte, and what is behind it. */
  sendWhole(head: string, bytes: Uint8Array): void {
    if (this.#isClosed) return;
    if (head.length + bytes.length > DESK.length) {
      this.sendBytes(Buffer.from(head, "latin1"));
      this.sendBytes(bytes);
      return;
    }
    DESK.set(bytes, DESK.write(head, "latin1"));
    const size = head.length + bytes.length;
    const taken = this.hasRoom ? this.#socket.write(DESK, 0, size) : 0;
    if (taken < size) this.#keep(Buffer.from(DESK.subarray(Math.max(taken, 0), size)));
  }

  /** Sends what was kept. Says whether the caller has taken any of it. */
  flush(): boolean {
    let hasTaken = false;
    for (let next = this.#unsent[0]; next; next = this.#unsent[0]) {
      const taken = this.#socket.write(next);
      if (taken > 0) hasTaken = true;
      if (taken < next.byteLength) {
        this.#unsent[0] = next.subarray(Math.max(taken, 0));
        return hasTaken;
      }
      this.#unsent.shift();
    }
    this.#makeRoom();
    return hasTaken;
  }

  /** Nothing can be sent any more. */
  close(): void {
    this.#isClosed = true;
    this.#unsent = [];
    this.#makeRoom();
  }

  #keep(bytes: Uint8Array): void {
    this.#unsent.push(bytes);
  }

  #makeRoom(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}
