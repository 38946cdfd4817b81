const MAX_SPANS = 2048;
const MAX_BYTES = 32 * 1024 * 1024;

export const BATCH_SPANS = 512;
/** The default request limit of collectors is 20 MiB. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** Encoded spans waiting for export. Its memory is bounded: spans that do not fit are counted as dropped. */
export class SpanQueue {
  #spans: Uint8Array[] = [];
  #bytes = 0;
  #dropped = 0;

  get length(): number {
    return this.#spans.length;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Whether this many more spans fit, and are worth encoding. Others are counted. */
  hasRoomFor(count: number, bytes = 0): boolean {
    const hasRoom = this.#spans.length + count <= MAX_SPANS && this.#bytes + bytes <= MAX_BYTES;
    if (!hasRoom) this.#dropped += count;
    return hasRoom;
  }

  /** Adds all spans of a request or, so that no trace is incomplete, none. */
  add(spans: readonly Uint8Array[]): void {
    const bytes = bytesOf(spans);
    if (!this.hasRoomFor(spans.length, bytes)) return;
    this.#spans.push(...spans);
    this.#bytes += bytes;
  }

  /** The next batch; empty when the queue is. */
  take(): readonly Uint8Array[] {
    let count = 0;
    for (let bytes = 0; count < Math.min(BATCH_SPANS, this.#spans.length); count++) {
      bytes += this.#spans[count]!.length;
      if (count > 0 && bytes > BATCH_BYTES) break;
    }
    const batch = this.#spans.slice(0, count);
    this.#spans = this.#spans.slice(count);
    this.#bytes -= bytesOf(batch);
    return batch;
  }
}

function bytesOf(spans: readonly Uint8Array[]): number {
  return spans.reduce((sum, { length }) => sum + length, 0);
}
