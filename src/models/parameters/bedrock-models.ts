import { hasStructuredOutputs } from "../claude-models.ts";

/**
 * Properties of a model on Bedrock, derived from its upstream name: a model ID, an inference profile (`us.anthropic.claude-…`) or an ARN.
 */

export function isClaude(upstreamModel: string): boolean {
  return /claude/i.test(upstreamModel);
}

/** Whether it is a model of OpenAI. The open models, which have three levels of effort, are `openai.gpt-oss-…`. */
export function isOpenai(upstreamModel: string): boolean {
  return /(?:^|[./])openai\./i.test(upstreamModel);
}

/** Whether it is one of Amazon's own models that can reason. The first generation rejects a request for reasoning. */
export function isReasoningNova(upstreamModel: string): boolean {
  return /\bnova-2-/i.test(upstreamModel);
}

/** Claude models before 3.5 Haiku and the second 3.5 Sonnet: https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html */
const CLAUDE_WITHOUT_CACHE = /claude-(?:v\d|instant|3-(?:haiku|sonnet|opus)|3-5-sonnet-20240620)/i;

/** Other models reject a request with a cache point, with the status of a missing permission. */
export function hasCachePoints(upstreamModel: string): boolean {
  return (isClaude(upstreamModel) && !CLAUDE_WITHOUT_CACHE.test(upstreamModel)) || /\bnova-/i.test(upstreamModel);
}

/** Whether a cache point may have a `ttl` of an hour. Claude has it since the same version as structured outputs. */
export function hasHourCachePoints(upstreamModel: string): boolean {
  return isClaude(upstreamModel) && hasStructuredOutputs(upstreamModel);
}

/** Only Claude signs its reasoning, and accepts it back. The ARNs of some profiles do not name the model. */
export function takesReasoning(upstreamModel: string): boolean {
  return isClaude(upstreamModel) || /^arn:[^/]+:(?:application-inference-profile|provisioned-model)\//.test(upstreamModel);
}
