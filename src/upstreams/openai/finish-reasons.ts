import { truncatedResponse } from "../refusal.ts";
import type { Mending } from "./mending.ts";

/** The finish reasons of the chat-completions format. */
const REASONS: ReadonlySet<string> = new Set(["stop", "length", "tool_calls", "content_filter", "function_call"]);

/** Names used by TGI, Together, Mistral, Zhipu, and by servers that pass on the reasons of Anthropic, Gemini, Bedrock or Cohere. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...["eos", "eos_token", "stop_sequence", "end_turn", "pause_turn", "complete", "completed"].map((word) => [word, "stop"] as const),
  ...["max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"].map((word) => [word, "length"] as const),
  ...["tool_use", "tool_call"].map((word) => [word, "tool_calls"] as const),
  ...["refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety"].map(filtered),
  ...["content_filtered", "guardrail_intervened", "sensitive"].map(filtered),
]);

/**
 * Failures sent as a finish reason by OpenRouter, vLLM, SGLang, DeepSeek, Zhipu and Gemini. Passed on, a partial response would look
 * complete.
 */
const FAILURES: ReadonlySet<string> = new Set([
  "error",
  "abort",
  "insufficient_system_resource",
  "network_error",
  "malformed_function_call",
]);

/**
 * Maps a finish reason to a finish reason of the format. Agents continue only after `tool_calls`, and Gemini's compatible endpoint sends
 * `stop` with tool calls. Throws for a failure that is sent as a finish reason.
 */
export function mendFinishReason(choice: Record<string, unknown>, hasToolCalls: boolean, mending: Mending): void {
  const given = choice["finish_reason"];
  if (given === null) return;
  if (typeof given !== "string" || given === "") return mending.set(choice, "finish_reason", null, "finish_reason_missing");
  const word = given.toLowerCase();
  if (FAILURES.has(word)) throw truncatedResponse(`finish_reason: ${word}`);
  const known = REASONS.has(word) ? word : ALIASES.get(word);
  if (known === undefined) mending.note("finish_reason_unknown");
  else if (known !== given) mending.note("finish_reason_renamed");
  const ended = known ?? "stop";
  const isWrong = ended === "stop" && hasToolCalls;
  if (isWrong && known === given) mending.note("finish_reason_wrong");
  const right = isWrong ? "tool_calls" : ended;
  if (right !== given) mending.set(choice, "finish_reason", right);
}

/**
 * Sets the finish reason of a choice in a JSON response. The response is whole, so every choice has ended: without a valid reason, the
 * reason becomes `stop`, or `tool_calls` if there are tool calls. Clients expect a string, and agents wait for it.
 */
export function mendFinalReason(choice: Record<string, unknown>, hasToolCalls: boolean, mending: Mending): void {
  const given = choice["finish_reason"];
  if (typeof given === "string" && given !== "") return mendFinishReason(choice, hasToolCalls, mending);
  mending.set(choice, "finish_reason", hasToolCalls ? "tool_calls" : "stop", "finish_reason_missing");
}

/** Whether a response with this reason may be truncated anywhere. */
export function isCutShort(finishReason: unknown): boolean {
  return finishReason === "length" || finishReason === "content_filter";
}

function filtered(word: string): readonly [string, string] {
  return [word, "content_filter"];
}
