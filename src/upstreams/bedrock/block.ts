import { isObject } from "../../lib/schema/schema.ts";
import { isHourBreakpoint } from "../../requests/cache-ttl.ts";

/** A content block of the Converse API: an object with one field, which names its kind. */
export type Block = Readonly<Record<string, unknown>>;

/** A block of a request. */
export interface Part {
  readonly block: Block;
  /** The cache point after it. Undefined if the prompt is not cached up to this block. */
  readonly cachePoint: Block | undefined;
}

const CACHE_POINT: Block = { cachePoint: { type: "default" } };
const HOUR_CACHE_POINT: Block = { cachePoint: { type: "default", ttl: "1h" } };

export function uncachedPart(block: Block): Part {
  return { block, cachePoint: undefined };
}

/** The cache point for a `cache_control`, which is not in the chat-completions format; clients written for Claude send it. */
export function cachePointFor(cacheControl: unknown): Block | undefined {
  if (!isObject(cacheControl)) return undefined;
  return isHourBreakpoint(cacheControl) ? HOUR_CACHE_POINT : CACHE_POINT;
}

/** Blocks on the wire, each followed by its cache point, if any. */
export function toBlocks(parts: readonly Part[], hasCachePoints: boolean): Block[] {
  return parts.flatMap(({ block, cachePoint }) => (cachePoint && hasCachePoints && !isTextDocument(block) ? [block, cachePoint] : [block]));
}

/** Claude on Bedrock rejects a cache point after a plain-text document: https://github.com/pizza-bot-app/pizza-bot/pull/6 */
function isTextDocument({ document }: Block): boolean {
  return document !== undefined && (document as { format: string }).format !== "pdf";
}
