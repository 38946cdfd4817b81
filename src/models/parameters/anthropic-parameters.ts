import { canThink, hasFixedSampling } from "../claude-models.ts";
import type { ParameterRules } from "./parameter-policy.ts";

/**
 * The parameters of the Messages format. Chat-completions parameters with a counterpart are translated. Its own parameters
 * pass unchanged, except those that raise the cost of the same tokens above the model's price: the inference region, a
 * faster tier, server-side tools and containers. Parameters whose omission would change the response are rejected; the rest
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

/** Newer models return 400 for sampling parameters, and most clients send a temperature by default. */
const WITH_FIXED_SAMPLING: ParameterRules = {
  ...RULES,
  byName: { ...RULES.byName, temperature: "drop", top_p: "drop", top_k: "drop" },
};

/** Older models return 400 for any thinking parameter. */
const WITHOUT_THINKING: ParameterRules = { ...RULES, byName: { ...RULES.byName, reasoning_effort: "drop" } };

export function anthropicParameters(upstreamModel: string): ParameterRules {
  if (!canThink(upstreamModel)) return WITHOUT_THINKING;
  return hasFixedSampling(upstreamModel) ? WITH_FIXED_SAMPLING : RULES;
}
