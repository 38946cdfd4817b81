import { ANYTHING, isObject, type Schema } from "../lib/schema/schema.ts";

/**
 * Token counts of one completion. `promptTokens` includes cached and cache-written ones, `completionTokens` reasoning, and the
 * two are all there is: their sum is the total.
 */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
}

/**
 * Where token counts come from: `measured` by the upstream for the whole answer; `partial`, by the upstream, up to the moment
 * an answer was cut; `estimated` by us, from bytes, where the upstream said nothing.
 */
export type Provenance = "measured" | "partial" | "estimated";

/** Token counts, and where they come from. */
export interface CountedUsage {
  readonly usage: Usage;
  readonly provenance: Provenance;
}

/**
 * Reads the `usage` object of the chat-completions format. Undefined where it is absent or not token counts. What is in the
 * total alone was generated unseen, as Gemini's thinking is, and providers charge it as output.
 */
export function usageFromWire(wire: unknown): Usage | undefined {
  if (!isObject(wire)) return undefined;
  const { prompt_tokens: promptTokens, completion_tokens: named, total_tokens: total } = wire;
  if (!isCount(promptTokens) || !isCount(named)) return undefined;
  const unseen = isCount(total) ? Math.max(0, total - promptTokens - named) : 0;
  const completionTokens = named + unseen;
  const cachedTokens = Math.min(cachedIn(wire), promptTokens);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(countIn(wire["prompt_tokens_details"], "cache_write_tokens"), promptTokens - cachedTokens),
    reasoningTokens: Math.min(Math.max(unseen, countIn(wire["completion_tokens_details"], "reasoning_tokens")), completionTokens),
  };
}

export function usageToWire(usage: Usage): Record<string, unknown> {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  const promptDetails = {
    ...(cachedTokens > 0 && { cached_tokens: cachedTokens }),
    ...(cacheWriteTokens > 0 && { cache_write_tokens: cacheWriteTokens }),
  };
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cachedTokens + cacheWriteTokens > 0 && { prompt_tokens_details: promptDetails }),
    ...(reasoningTokens > 0 && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

export const BYTES_PER_TOKEN = 4;

/** A guess, for where nobody has counted. It is close for English and code, and above the truth for most other writing. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** What an upstream has said and sent of an answer. */
export interface Counted {
  /** Its own counts, if it gave any. */
  readonly usage: Usage | undefined;
  /** Bytes of text, reasoning and tool arguments that came without being counted yet. */
  readonly uncountedBytes: number;
}

/** The counts to go by: the upstream's own, where they cover everything; else ours, of what they leave out. */
export function countTokens({ usage, uncountedBytes }: Counted, promptEstimate: number, isWhole: boolean): CountedUsage {
  if (usage && uncountedBytes === 0) return { usage, provenance: isWhole ? "measured" : "partial" };
  const counted = usage ?? { ...NONE, promptTokens: promptEstimate };
  const completionTokens = counted.completionTokens + estimateTokens(uncountedBytes);
  return { usage: { ...counted, completionTokens }, provenance: "estimated" };
}

const NONE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/** DeepSeek's word for it, that of Moonshot and Together, and Mistral's. */
const CACHED = ["prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens"];

/** OpenAI's place for it, and those of others. */
function cachedIn(wire: Record<string, unknown>): number {
  let count = countIn(wire["prompt_tokens_details"], "cached_tokens");
  if (count === 0) for (const name of CACHED) count = Math.max(count, countIn(wire, name));
  return count;
}

function countIn(details: unknown, name: string): number {
  const count = isObject(details) ? details[name] : undefined;
  return isCount(count) ? count : 0;
}

/**
 * No answer has more tokens. A count above it is a fault of the upstream's, and what it would cost can be more than the ledger's
 * integers hold, which the database would write down as a negative charge.
 */
const MAX_COUNT = 1_000_000_000;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT;
}

export const usageSchema: Schema = {
  title: "Usage",
  type: "object",
  required: ["prompt_tokens", "completion_tokens", "total_tokens"],
  properties: {
    prompt_tokens: { type: "integer" },
    completion_tokens: { type: "integer" },
    total_tokens: { type: "integer", description: "Always the sum of the two." },
    prompt_tokens_details: { ...ANYTHING, description: "Parts of `prompt_tokens`, such as `cached_tokens`, as the upstream sends them." },
    completion_tokens_details: {
      ...ANYTHING,
      description: "Parts of `completion_tokens`, such as `reasoning_tokens`, as the upstream sends them.",
    },
  },
};
