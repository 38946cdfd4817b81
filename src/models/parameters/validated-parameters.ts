/**
 * The fields that the gateway validates in every request (`requests/chat-request.ts`). A policy must not rename another parameter to one of
 * them: that parameter would be sent without validation, and some of these fields decide how much credit is held.
 */
export const VALIDATED_PARAMETERS = [
  "model",
  "messages",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "stream",
  "stream_options",
  "n",
  "stop",
  "frequency_penalty",
  "presence_penalty",
  "seed",
  "logprobs",
  "top_logprobs",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "user",
] as const;

export type ValidatedParameter = (typeof VALIDATED_PARAMETERS)[number];
