/** A content block of the Converse API: an object with one field, which names its kind. */
export type Block = Readonly<Record<string, unknown>>;

/** A block of a request, and whether the prompt is cached up to this block. */
export interface Part {
  readonly block: Block;
  readonly isCached: boolean;
}

const CACHE_POINT: Block = { cachePoint: { type: "default" } };

export function uncachedPart(block: Block): Part {
  return { block, isCached: false };
}

/**
 * Blocks on the wire, each followed by its cache point, if any. Cache points have no `ttl`: an hour costs more than five minutes, but a
 * model has only one price for cache writes.
 */
export function toBlocks(parts: readonly Part[], hasCachePoints: boolean): Block[] {
  return parts.flatMap(({ block, isCached }) => (isCached && hasCachePoints && !isTextDocument(block) ? [block, CACHE_POINT] : [block]));
}

/** Claude on Bedrock rejects a cache point after a plain-text document: https://github.com/pizza-bot-app/pizza-bot/pull/6 */
function isTextDocument({ document }: Block): boolean {
  return document !== undefined && (document as { format: string }).format !== "pdf";
}
