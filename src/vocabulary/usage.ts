import { isObject, type Schema } from "./schema.ts";

/** Token counts of one completion. `promptTokens` includes cached and cache-written ones, `completionTokens` reasoning. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
}

/** Reads the `usage` object of the chat-completions format. Undefined where it is absent or not token counts. */
export function usageFromWire(wire: unknown): Usage | undefined {
  if (!isObject(wire)) return undefined;
  const promptTokens = wire["prompt_tokens"];
  const completionTokens = wire["completion_tokens"];
  if (!isCount(promptTokens) || !isCount(completionTokens)) return undefined;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: countIn(wire["prompt_tokens_details"], "cached_tokens"),
    cacheWriteTokens: countIn(wire["prompt_tokens_details"], "cache_write_tokens"),
    reasoningTokens: countIn(wire["completion_tokens_details"], "reasoning_tokens"),
  };
}

function countIn(details: unknown, name: string): number {
  const count = isObject(details) ? details[name] : undefined;
  return isCount(count) ? count : 0;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export const usageSchema: Schema = {
  title: "Usage",
  type: "object",
  required: ["prompt_tokens", "completion_tokens", "total_tokens"],
  properties: {
    prompt_tokens: { type: "integer" },
    completion_tokens: { type: "integer" },
    total_tokens: { type: "integer" },
  },
};
