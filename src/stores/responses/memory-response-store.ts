import { MAX_RESPONSE_BYTES, type CachedResponse, type ResponseStore } from "./response-store.ts";

const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** The memory that a response takes besides its bytes: its key, and its entry in the map. */
const OVERHEAD_BYTES = 512;

interface CacheEntry {
  /** JSON in UTF-8: substrings would each retain the buffer from which they were cut. */
  readonly bytes: Uint8Array;
  readonly expiresAtMs: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The response cache in memory: a restart empties it. */
export class MemoryResponseStore implements ResponseStore {
  readonly #maxTotalBytes: number;
  /** The most recently used is last. */
  readonly #entries = new Map<string, CacheEntry>();
  #totalBytes = 0;

  constructor(maxTotalBytes: number = MAX_TOTAL_BYTES) {
    this.#maxTotalBytes = maxTotalBytes;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  find(key: string, nowMs: number): CachedResponse | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.expiresAtMs <= nowMs) {
      this.#evict(key, entry);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return JSON.parse(decoder.decode(entry.bytes)) as CachedResponse;
  }

  store(key: string, response: CachedResponse, expiresAtMs: number): void {
    const before = this.#entries.get(key);
    if (before) this.#evict(key, before);
    const bytes = encoder.encode(JSON.stringify(response));
    if (bytes.byteLength > MAX_RESPONSE_BYTES) return;
    this.#entries.set(key, { bytes, expiresAtMs });
    this.#totalBytes += bytes.byteLength + OVERHEAD_BYTES;
    for (const [oldest, entry] of this.#entries) {
      if (this.#totalBytes <= this.#maxTotalBytes) return;
      this.#evict(oldest, entry);
    }
  }

  #evict(key: string, { bytes }: CacheEntry): void {
    this.#entries.delete(key);
    this.#totalBytes -= bytes.byteLength + OVERHEAD_BYTES;
  }
}
