import type { Counted } from "../../money/usage.ts";

/** An answer as it was given, to be given again. */
export interface CachedResponse extends Counted {
  /** The body of a JSON answer, or the chunks of a stream. */
  readonly pieces: readonly string[];
  /** The chunk with a stream's token counts, for callers who ask for it. */
  readonly usageChunk?: string;
  /** The tokens of its prompt, which may have been estimated. */
  readonly promptTokens: number;
  /** Parameters that it was made without, of which its callers are told. */
  readonly dropped: readonly string[];
}

/** A larger answer is not kept. */
export const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * Keeps answers for those who ask the same again, each until its time is over, and not more of them than fit. Times are by a clock that
 * nobody sets.
 */
export interface ResponseStore {
  /** The answer that is kept under this key. Whoever asks for it makes it stay longer than others. */
  find(key: string, nowMs: number): CachedResponse | undefined;
  /** Keeps an answer in the place of the one before it; one that is too large is left out. */
  store(key: string, response: CachedResponse, expiresAtMs: number): void;
}
