import type { ParameterRules } from "./parameter-policy.ts";

/** The lowest output limit that the API accepts. Lower limits are raised to it. */
export const MIN_OUTPUT_TOKENS = 16;

/**
 * The parameters of the Responses API, as an upstream of chat completions. Translated parameters are `pass`. Parameters whose omission would
 * change the response or the bill are rejected; the rest are hints, and dropped.
 */
export const RESPONSES_PARAMETERS: ParameterRules = {
  byName: {
    max_tokens: "pass",
    max_completion_tokens: "pass",
    temperature: "pass",
    top_p: "pass",
    tools: "pass",
    tool_choice: "pass",
    parallel_tool_calls: "pass",
    response_format: "pass",
    reasoning_effort: "pass",
    // The API's own parameter, for summaries of the reasoning.
    reasoning: "pass",
    verbosity: "pass",
    prompt_cache_key: "pass",
    prompt_cache_retention: "pass",
    user: "pass",
    safety_identifier: "pass",
    n: "refuse",
    stop: "refuse",
    logprobs: "refuse",
    top_logprobs: "refuse",
    audio: "refuse",
    modalities: "refuse",
    functions: "refuse",
    function_call: "refuse",
    service_tier: "refuse",
    web_search_options: "refuse",
  },
  others: "drop",
};
