import type { ParameterRules } from "./parameter-policy.ts";

/** What can be said to Gemini. What is translated is `pass`; the rest it has no word for. */
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
    // Without these the answer would be another one than was asked for.
    n: "refuse",
    logprobs: "refuse",
    top_logprobs: "refuse",
    audio: "refuse",
    functions: "refuse",
    function_call: "refuse",
    web_search_options: "refuse",
    // Google's own words, which reach into the operator's project: its filters, and what it has paid to keep there.
    extra_body: "refuse",
    safety_settings: "refuse",
    cached_content: "refuse",
  },
  others: "drop",
};
