import type { ReceivedUsage } from "../../money/usage.ts";

/** A response in the response cache. */
export interface CachedResponse extends ReceivedUsage {
  /** The body of a JSON response, or the chunks of a stream. */
  readonly pieces: readonly string[];
  /** What ends a stream, such as the chunk with the token counts, for callers who request it. */
  readonly endEvents?: readonly string[];
  /** The number of tokens in its prompt, which may be an estimate. */
  readonly promptTokens: number;
  /** Parameters that were dropped from the request, which a response header reports. */
  readonly dropped: readonly string[];
}

/** A larger response is not cached. */
export const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * The response cache: evicts the least recently used responses beyond a memory limit, and each response when it expires. Times are by the
 * monotonic clock. Nothing here is durable, waits or throws.
 */
export interface ResponseStore {
  /** The response cached under this key, if it has not expired. A hit makes it the most recently used. */
  find(key: string, nowMs: number): CachedResponse | undefined;
  /**
   * Caches a response, which replaces the previous one. If it is larger than `MAX_RESPONSE_BYTES`, it is not cached, and the previous one
   * is removed.
   */
  store(key: string, response: CachedResponse, expiresAtMs: number): void;
}
