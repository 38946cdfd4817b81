/** The one response of the upstream in the JSON scenarios: about 600 bytes, like a small response of OpenAI. */
export const UPSTREAM_MODEL = "gpt-4.1-2025-04-14";

export const USAGE = { prompt_tokens: 19, completion_tokens: 10 } as const;

/** The public name of the model, which some gateways write instead of the upstream's name. */
export const MODEL = "m";

export function answerAs(model: string): string {
  return JSON.stringify({
    id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
    object: "chat.completion",
    created: 1_741_569_952,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "Hello! How can I assist you today? I am here to help with questions.",
          refusal: null,
          annotations: [],
        },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: {
      ...USAGE,
      total_tokens: USAGE.prompt_tokens + USAGE.completion_tokens,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
    },
    service_tier: "default",
  });
}
