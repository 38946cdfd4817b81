import { MAX_RESPONSE_BYTES, type CachedResponse, type ResponseStore } from "./response-store.ts";

const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** What an answer takes beside its own bytes: its key, and its place in the map. */
const OVERHEAD_BYTES = 512;

interface Place {
  /** As JSON in UTF-8: pieces of text would each hold on to the buffer that they were cut out of. */
  readonly bytes: Uint8Array;
  readonly expiresAtMs: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Answers in the memory of this process: a restart forgets them, and they are made anew. */
export class MemoryResponseStore implements ResponseStore {
  readonly #maxTotalBytes: number;
  /** Whoever was asked for last stands last. */
  readonly #places = new Map<string, Place>();
  #totalBytes = 0;

  constructor(maxTotalBytes: number = MAX_TOTAL_BYTES) {
    this.#maxTotalBytes = maxTotalBytes;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  find(key: string, nowMs: number): CachedResponse | undefined {
    const place = this.#places.get(key);
    if (!place) return undefined;
    if (place.expiresAtMs <= nowMs) {
      this.#forget(key, place);
      return undefined;
    }
    this.#places.delete(key);
    this.#places.set(key, place);
    return JSON.parse(decoder.decode(place.bytes)) as CachedResponse;
  }

  store(key: string, response: CachedResponse, expiresAtMs: number): void {
    const before = this.#places.get(key);
    if (before) this.#forget(key, before);
    const bytes = encoder.encode(JSON.stringify(response));
    if (bytes.byteLength > MAX_RESPONSE_BYTES) return;
    this.#places.set(key, { bytes, expiresAtMs });
    this.#totalBytes += bytes.byteLength + OVERHEAD_BYTES;
    for (const [oldest, place] of this.#places) {
      if (this.#totalBytes <= this.#maxTotalBytes) return;
      this.#forget(oldest, place);
    }
  }

  #forget(key: string, { bytes }: Place): void {
    this.#places.delete(key);
    this.#totalBytes -= bytes.byteLength + OVERHEAD_BYTES;
  }
}
