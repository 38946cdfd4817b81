import { canThink, hasFixedSampling } from "../claude-models.ts";
import { isClaude, isOpenai, isReasoningNova } from "./bedrock-models.ts";
import type { ParameterRules } from "./parameter-policy.ts";

/**
 * The parameters of Bedrock's Converse API. Translated parameters are `pass`. Parameters whose omission would change the response are
 * rejected; the rest are hints, and dropped. `serviceTier` and `performanceConfig` are dropped too: with them the same tokens cost more
 * than the model's price.
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
    response_format: "pass",
    n: "refuse",
    logprobs: "refuse",
    top_logprobs: "refuse",
    audio: "refuse",
    modalities: "refuse",
    functions: "refuse",
    function_call: "refuse",
    web_search_options: "refuse",
    // The API's own parameters that access the operator's account: its guardrails, its stored prompts, and all options of a model.
    guardrailConfig: "refuse",
    promptVariables: "refuse",
    additionalModelRequestFields: "refuse",
  },
  others: "drop",
};

const OF_REASONING_MODELS: ParameterRules = { ...RULES, byName: { ...RULES.byName, reasoning_effort: "pass" } };

const OF_CLAUDE: ParameterRules = {
  ...RULES,
  byName: { ...RULES.byName, top_k: "pass", reasoning_effort: "pass", thinking: "pass" },
};

/** Newer models return 400 for sampling parameters, and most clients send a temperature by default. */
const OF_CLAUDE_WITH_FIXED_SAMPLING: ParameterRules = {
  ...OF_CLAUDE,
  byName: { ...OF_CLAUDE.byName, temperature: "drop", top_p: "drop", top_k: "drop" },
};

/** Older models return 400 for any thinking parameter. */
const OF_CLAUDE_WITHOUT_THINKING: ParameterRules = {
  ...OF_CLAUDE,
  byName: { ...OF_CLAUDE.byName, reasoning_effort: "drop", thinking: "drop" },
};

/** The rules depend on the upstream model, since each model family has its own options. */
export function bedrockParameters(upstreamModel: string): ParameterRules {
  if (isOpenai(upstreamModel) || isReasoningNova(upstreamModel)) return OF_REASONING_MODELS;
  if (!isClaude(upstreamModel)) return RULES;
  if (!canThink(upstreamModel)) return OF_CLAUDE_WITHOUT_THINKING;
  return hasFixedSampling(upstreamModel) ? OF_CLAUDE_WITH_FIXED_SAMPLING : OF_CLAUDE;
}
