import { ANYTHING, isObject, type Schema } from "../lib/schema/schema.ts";

/**
 * Token counts of one completion. `promptTokens` includes tokens that were read from or written to a cache, and `completionTokens` includes
 * reasoning; their sum is the total.
 */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** Undefined for most responses. */
  readonly premium?: PremiumUse | undefined;
}

/** What a response has used besides tokens at the usual rates. */
export interface PremiumUse {
  /** The part of `cacheWriteTokens` that is kept for an hour. */
  readonly hourWriteTokens: number;
  /** Calls of tools that run at the provider, such as `web_search`. */
  readonly toolCalls: Readonly<Record<string, number>>;
  /** The options that multiply all rates, such as `fast`. */
  readonly multipliers: readonly string[];
  /** The prompt of the largest sampling, which has the tier of the price. Undefined if the model was sampled once. */
  readonly largestPrompt?: number;
}

/**
 * The source of token counts. `measured`: by the upstream for the whole response. `partial`: by the upstream, up to the moment a response
 * was cut off. `estimated`: by the gateway, from bytes, if the upstream sent none.
 */
export type Provenance = "measured" | "partial" | "estimated";

/** Token counts, and their source. */
export interface CountedUsage {
  readonly usage: Usage;
  readonly provenance: Provenance;
  /** Set if the request does not explain the upstream's counts, so that the bound is charged. */
  readonly isBounded?: true;
  /** A use that the upstream reports and that the request has not asked for. It is not charged. */
  readonly undemanded?: string;
}

/**
 * Reads the `usage` object of the chat-completions format. Undefined if it is absent or does not contain token counts. Tokens that are
 * counted only in the total were generated without being shown, such as Gemini's thinking, and providers charge them as output.
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

export function usageToWire(usage: Usage) {
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

/** An estimate for text without counts. It is accurate for English and code, and too high for most other languages. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The usage and the uncounted output of a response. */
export interface ReceivedUsage {
  /** The upstream's counts, if any. */
  readonly usage: Usage | undefined;
  /** Bytes of text, reasoning and tool arguments that the counts do not cover. */
  readonly uncountedBytes: number;
  /** Calls of tools that ran at the provider, until the upstream counts them. */
  readonly toolCalls?: Readonly<Record<string, number>> | undefined;
  /** The options that multiply all rates, until the upstream counts tokens. Undefined if the upstream has reported none. */
  readonly multipliers?: readonly string[] | undefined;
  /** Set while the upstream has counted only the prompt: its output, shown or hidden, is not in the counts. */
  readonly isOutputUncounted?: boolean;
}

/** The counts to charge: the upstream's counts, plus an estimate of the output that they do not cover. */
export function countTokens(received: ReceivedUsage, promptEstimate: number, isWhole: boolean): CountedUsage {
  const { usage, uncountedBytes } = received;
  if (usage && uncountedBytes === 0) return { usage, provenance: isWhole ? "measured" : "partial" };
  const counted = usage ?? { ...NONE, promptTokens: promptEstimate, ...premiumSoFar(received) };
  const completionTokens = counted.completionTokens + estimateTokens(uncountedBytes);
  return { usage: { ...counted, completionTokens }, provenance: "estimated" };
}

/** What an upstream has reported without counts of tokens. */
function premiumSoFar({ toolCalls, multipliers }: ReceivedUsage): Pick<Usage, "premium"> | undefined {
  if (!toolCalls && !multipliers) return undefined;
  return { premium: { ...NO_PREMIUM, ...(toolCalls && { toolCalls }), ...(multipliers && { multipliers }) } };
}

/** Whether an upstream has reported these token counts, whatever else is charged or not charged of its usage. */
export function isCountedAs(usage: Usage, reported: Usage | undefined): boolean {
  return usage === reported || (reported?.premium !== undefined && hasSameCounts(usage, reported));
}

/** A separate function: its closure would cost every response. */
function hasSameCounts(one: Usage, other: Usage): boolean {
  return TOKEN_COUNTS.every((name) => one[name] === other[name]);
}

const TOKEN_COUNTS = ["promptTokens", "completionTokens", "cachedTokens", "cacheWriteTokens", "reasoningTokens"] as const;

const NONE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

export const NO_PREMIUM: PremiumUse = { hourWriteTokens: 0, toolCalls: {}, multipliers: [] };

/** The field names of DeepSeek; of Moonshot and Together; and of Mistral. */
const CACHED = ["prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens"];

/** OpenAI's field, or the fields of other providers. */
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
 * No response has more tokens. A higher count is an upstream error, and its cost could exceed the ledger's integers, so that the database
 * would store a negative charge.
 */
const MAX_COUNT = 1_000_000_000;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT;
}

export const usageSchema = {
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
} as const satisfies Schema;
