import type { BodyWriter } from "./reply.ts";
import type { WriteBuffer } from "../../net/write-buffer.ts";

/** Writes a streamed body: chunked (RFC 9112 §7.1), or for HTTP/1.0 until the connection is closed. */
export class ReplyBodyWriter implements BodyWriter {
  readonly #writeBuffer: WriteBuffer;
  readonly #isChunked: boolean;
  readonly #onEnd: (isComplete: boolean) => void;

  constructor(writeBuffer: WriteBuffer, isChunked: boolean, onEnd: (isComplete: boolean) => void) {
    this.#writeBuffer = writeBuffer;
    this.#isChunked = isChunked;
    this.#onEnd = onEnd;
  }

  get unsentBytes(): number {
    return this.#writeBuffer.unsentBytes;
  }

  get isDrained(): boolean {
    return this.#writeBuffer.isDrained;
  }

  drained(): Promise<void> {
    return this.#writeBuffer.drained();
  }

  write(chunk: string): number {
    const bytes = Buffer.byteLength(chunk);
    // An empty chunk would be the last one.
    if (bytes === 0) return 0;
    if (this.#isChunked) {
      const size = bytes.toString(16);
      this.#writeBuffer.writeText(`${size}\r\n${chunk}\r\n`, size.length + bytes + 4);
    } else this.#writeBuffer.writeText(chunk, bytes);
    return bytes;
  }

  end(): void {
    if (this.#isChunked) this.#writeBuffer.writeText("0\r\n\r\n", 5);
    this.#onEnd(true);
  }

  abort(): void {
    this.#onEnd(false);
  }
}
