import { isObject } from "../../lib/schema/schema.ts";
import { usageFromWire, type Usage } from "../../money/usage.ts";

/**
 * Reads token counts. Input of Google's server-side tools counts as prompt tokens, thoughts as output tokens. Google omits counts that
 * are zero.
 */
export function readUsage(metadata: unknown): Usage | undefined {
  if (!isObject(metadata)) return undefined;
  const { promptTokenCount: prompt, toolUsePromptTokenCount: toolUse = 0, totalTokenCount: total } = metadata;
  const { candidatesTokenCount: candidates = 0, thoughtsTokenCount: thoughts = 0, cachedContentTokenCount: cached } = metadata;
  return usageFromWire({
    prompt_tokens: sum(prompt, toolUse),
    completion_tokens: sum(candidates, thoughts),
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thoughts },
  });
}

/** Combines two counts of one response; no count decreases. Cached tokens belong to the prompt count that they came with. */
export function higherOf(before: Usage, later: Usage): Usage {
  const prompt = later.promptTokens >= before.promptTokens ? later : before;
  return {
    promptTokens: prompt.promptTokens,
    cachedTokens: prompt.cachedTokens,
    cacheWriteTokens: prompt.cacheWriteTokens,
    completionTokens: Math.max(before.completionTokens, later.completionTokens),
    reasoningTokens: Math.max(before.reasoningTokens, later.reasoningTokens),
  };
}

function sum(one: unknown, other: unknown): number | undefined {
  return typeof one === "number" && typeof other === "number" && one >= 0 && other >= 0 ? one + other : undefined;
}
