import { isObject } from "../../lib/schema/schema.ts";
import { usageFromWire, type Usage } from "../../money/usage.ts";

/**
 * Token counts. What tools of Google's own have read is part of the prompt; thoughts are charged as output. A count that is
 * zero is left out.
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

/** What holds of two counts of one answer: nothing that was counted is taken back. What was cached is part of its prompt. */
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
