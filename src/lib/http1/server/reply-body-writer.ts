import type { BodyWriter } from "./reply.ts";
import type { WriteBuffer } from "./write-buffer.ts";

/** Sends a body piece by piece: in parts (RFC 9112 §7.1), or, to those who know none, until the connection is closed. */
export class ReplyBodyWriter implements BodyWriter {
  readonly #outbox: WriteBuffer;
  readonly #inParts: boolean;
  readonly #onEnd: (isWhole: boolean) => void;

  constructor(outbox: WriteBuffer, inParts: boolean, onEnd: (isWhole: boolean) => void) {
    this.#outbox = outbox;
    this.#inParts = inParts;
    this.#onEnd = onEnd;
  }

  get unsentBytes(): number {
    return this.#outbox.unsentBytes;
  }

  get hasRoom(): boolean {
    return this.#outbox.hasRoom;
  }

  room(): Promise<void> {
    return this.#outbox.room();
  }

  write(piece: string): number {
    const bytes = Buffer.byteLength(piece);
    // A part without bytes would be the last one.
    if (bytes === 0) return 0;
    if (this.#inParts) {
      const size = bytes.toString(16);
      this.#outbox.sendText(`${size}\r\n${piece}\r\n`, size.length + bytes + 4);
    } else this.#outbox.sendText(piece, bytes);
    return bytes;
  }

  end(): void {
    if (this.#inParts) this.#outbox.sendText("0\r\n\r\n", 5);
    this.#onEnd(true);
  }

  cut(): void {
    this.#onEnd(false);
  }
}
