import type { Socket } from "bun";

/**
 * Scratch memory in which a head and its body are joined, so that they take one write: two would be two packets and two system calls. All
 * connections share it, because the kernel has copied it when a write returns.
 */
const SCRATCH = Buffer.allocUnsafeSlow(64 * 1024);

/** The write side of a socket, with the bytes that the kernel has not accepted yet. */
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

  /** Whether nothing is buffered. */
  get isDrained(): boolean {
    return this.#unsent.length === 0;
  }

  /** Resolves when nothing is buffered, or the connection is closed. */
  drained(): Promise<void> {
    if (this.isDrained) return Promise.resolve();
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Writes text whose length in bytes is known. */
  writeText(text: string, bytes: number): void {
    if (this.#isClosed) return;
    const written = this.isDrained ? this.#socket.write(text) : 0;
    if (written < bytes) this.#queue(Buffer.from(text).subarray(Math.max(written, 0)));
  }

  writeBytes(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const written = this.isDrained ? this.#socket.write(bytes) : 0;
    if (written < bytes.byteLength) this.#queue(bytes.subarray(Math.max(written, 0)));
  }

  /** Writes a head, in which each character is one byte, and its body. */
  writeMessage(head: string, bytes: Uint8Array): void {
    if (this.#isClosed) return;
    if (head.length + bytes.length > SCRATCH.length) {
      this.writeBytes(Buffer.from(head, "latin1"));
      this.writeBytes(bytes);
      return;
    }
    SCRATCH.set(bytes, SCRATCH.write(head, "latin1"));
    const size = head.length + bytes.length;
    const written = this.isDrained ? this.#socket.write(SCRATCH, 0, size) : 0;
    if (written < size) this.#queue(Buffer.from(SCRATCH.subarray(Math.max(written, 0), size)));
  }

  /** Writes buffered bytes. Returns whether the kernel accepted any. */
  flush(): boolean {
    let hasWritten = false;
    for (let next = this.#unsent[0]; next; next = this.#unsent[0]) {
      const written = this.#socket.write(next);
      if (written > 0) hasWritten = true;
      if (written < next.byteLength) {
        this.#unsent[0] = next.subarray(Math.max(written, 0));
        return hasWritten;
      }
      this.#unsent.shift();
    }
    this.#resolveDrained();
    return hasWritten;
  }

  /** Drops buffered bytes: the connection is closed. */
  close(): void {
    this.#isClosed = true;
    this.#unsent = [];
    this.#resolveDrained();
  }

  #queue(bytes: Uint8Array): void {
    this.#unsent.push(bytes);
  }

  #resolveDrained(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}
