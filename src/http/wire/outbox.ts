import type { Socket } from "bun";

/** What is sent over a socket, and what of it the caller has not taken yet. */
export class Outbox {
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
