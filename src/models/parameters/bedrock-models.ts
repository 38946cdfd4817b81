/** Properties of a model on Bedrock that are derived from its upstream name: a model ID, an inference profile (`us.anthropic.claude-…`) or an ARN. */

export function isClaude(upstreamModel: string): boolean {
  return /claude/i.test(upstreamModel);
}

/** OpenAI's models; the open ones, which have three levels of effort, are `openai.gpt-oss-…`. */
export function isOpenai(upstreamModel: string): boolean {
  return /(?:^|[./])openai\./i.test(upstreamModel);
}

/** Those of Amazon's own models that can reason. The first generation rejects a request for it. */
export function isReasoningNova(upstreamModel: string): boolean {
  return /\bnova-2-/i.test(upstreamModel);
}

/** Other models reject a request with a cache point, some with the status of a missing permission. */
export function hasCachePoints(upstreamModel: string): boolean {
  return isClaude(upstreamModel) || /\bnova-/i.test(upstreamModel);
}

/** Only Claude signs its reasoning, and takes it back. The ARNs of some profiles do not name the model. */
export function takesReasoning(upstreamModel: string): boolean {
  return isClaude(upstreamModel) || /^arn:[^/]+:(?:application-inference-profile|provisioned-model)\//.test(upstreamModel);
}
