import type { ParameterRules } from "./parameter-policy.ts";

/** The parameters of Gemini. Translated parameters are `pass`; the rest have no counterpart. */
export const GEMINI_PARAMETERS: ParameterRules = {
  byName: {
    max_tokens: "pass",
    max_completion_tokens: "pass",
    temperature: "pass",
    top_p: "pass",
    top_k: "pass",
    seed: "pass",
    stop: "pass",
    frequency_penalty: "pass",
    presence_penalty: "pass",
    tools: "pass",
    tool_choice: "pass",
    response_format: "pass",
    reasoning_effort: "pass",
    modalities: "pass",
    // Dropping these would change the response.
    n: "refuse",
    logprobs: "refuse",
    top_logprobs: "refuse",
    audio: "refuse",
    functions: "refuse",
    function_call: "refuse",
    web_search_options: "refuse",
    // Google's own parameters that access the operator's project: its safety settings and its paid cached content.
    extra_body: "refuse",
    safety_settings: "refuse",
    cached_content: "refuse",
  },
  others: "drop",
};
