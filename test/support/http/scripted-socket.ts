import type { Socket } from "bun";

/** A socket whose other end accepts only as many bytes as the test allows. */
export class ScriptedSocket {
  readonly remoteAddress = "127.0.0.1";
  /** The number of bytes that the other end still accepts. */
  room = Number.POSITIVE_INFINITY;
  isPaused = false;
  isShut = false;
  outcome: "open" | "closed" | "reset" = "open";
  #sent: Buffer[] = [];

  /** The bytes that the other end has accepted, each as a character. */
  get sent(): string {
    return Buffer.concat(this.#sent).toString("latin1");
  }

  as<D>(): Socket<D> {
    return this as unknown as Socket<D>;
  }

  write(data: string | Uint8Array, start = 0, length?: number): number {
    const all = Buffer.from(data as string);
    const bytes = all.subarray(start, length === undefined ? all.length : start + length).subarray(0, this.room);
    this.room -= bytes.length;
    this.#sent.push(bytes);
    return bytes.length;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  shutdown(): void {
    this.isShut = true;
  }

  end(): void {
    this.outcome = "closed";
  }

  terminate(): void {
    this.outcome = "reset";
  }
}
