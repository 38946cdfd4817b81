import { canThink, hasFixedSampling } from "../claude-models.ts";
import type { ParameterRules } from "./parameter-policy.ts";

/**
 * What the Messages format can say. Translated: the words of the chat-completions format that have a counterpart. Its own words
 * are passed as they are, but for those that make the same tokens cost more than the model's price says: where it is computed, a
 * faster tier, tools and containers of the provider's. Parameters whose omission would change the response are rejected; the rest
 * are hints, and dropped.
 */
const RULES: ParameterRules = {
  byName: {
    max_tokens: "pass",
    max_completion_tokens: "pass",
    temperature: "pass",
    top_p: "pass",
    stop: "pass",
    tools: "pass",
    tool_choice: "pass",
    parallel_tool_calls: "pass",
    response_format: "pass",
    reasoning_effort: "pass",
    user: "pass",
    safety_identifier: "pass",
    top_k: "pass",
    thinking: "pass",
    output_config: "pass",
    cache_control: "pass",
    n: "refuse",
    logprobs: "refuse",
    top_logprobs: "refuse",
    audio: "refuse",
    modalities: "refuse",
    functions: "refuse",
    function_call: "refuse",
    web_search_options: "refuse",
  },
  others: "drop",
};

/** Newer models answer 400 to any sampling but their own, and most clients send a temperature without being asked. */
const WITH_FIXED_SAMPLING: ParameterRules = {
  ...RULES,
  byName: { ...RULES.byName, temperature: "drop", top_p: "drop", top_k: "drop" },
};

/** Older ones answer 400 to any word about thinking. */
const WITHOUT_THINKING: ParameterRules = { ...RULES, byName: { ...RULES.byName, reasoning_effort: "drop" } };

export function anthropicParameters(upstreamModel: string): ParameterRules {
  if (!canThink(upstreamModel)) return WITHOUT_THINKING;
  return hasFixedSampling(upstreamModel) ? WITH_FIXED_SAMPLING : RULES;
}
