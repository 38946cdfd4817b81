import type { Span } from "./span.ts";

const MAX_SPANS = 2048;
const MAX_SIZE = 32 * 1024 * 1024;

export const BATCH_SPANS = 512;
/** Collectors take 20 MiB at a time, if they are not told otherwise. */
const BATCH_SIZE = 4 * 1024 * 1024;

/** Spans that wait to be sent. However many come, it takes no more than so much memory: what there is no room for is counted. */
export class SpanQueue {
  #spans: Span[] = [];
  #size = 0;
  #dropped = 0;

  get length(): number {
    return this.#spans.length;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Takes all of these or, so that no trace is told by half, none. */
  add(spans: readonly Span[]): void {
    const size = sizeOf(spans);
    if (this.#spans.length + spans.length > MAX_SPANS || this.#size + size > MAX_SIZE) {
      this.#dropped += spans.length;
      return;
    }
    this.#spans.push(...spans);
    this.#size += size;
  }

  /** The next to be sent; none where it is empty. */
  take(): readonly Span[] {
    let count = 0;
    for (let size = 0; count < Math.min(BATCH_SPANS, this.#spans.length); count++) {
      size += this.#spans[count]!.size;
      if (count > 0 && size > BATCH_SIZE) break;
    }
    const batch = this.#spans.slice(0, count);
    this.#spans = this.#spans.slice(count);
    this.#size -= sizeOf(batch);
    return batch;
  }
}

function sizeOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { size }) => sum + size, 0);
}
