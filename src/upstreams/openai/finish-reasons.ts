import { brokeOff } from "../refusal.ts";
import type { Mending } from "./mending.ts";

/** The reasons that the format has. */
const REASONS: ReadonlySet<string> = new Set(["stop", "length", "tool_calls", "content_filter", "function_call"]);

/** What others call them: TGI, Together, Mistral, Zhipu, and servers that pass on the words of Anthropic, Gemini, Bedrock or Cohere. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...["eos", "eos_token", "stop_sequence", "end_turn", "pause_turn", "complete", "completed"].map((word) => [word, "stop"] as const),
  ...["max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"].map((word) => [word, "length"] as const),
  ...["tool_use", "tool_call"].map((word) => [word, "tool_calls"] as const),
  ...["refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety"].map(filtered),
  ...["content_filtered", "guardrail_intervened", "sensitive"].map(filtered),
]);

/** No reason to end but a failure: OpenRouter, vLLM and SGLang, DeepSeek, Zhipu, Gemini. Taken for an end, half an answer would pass for one. */
const FAILURES: ReadonlySet<string> = new Set([
  "error",
  "abort",
  "insufficient_system_resource",
  "network_error",
  "malformed_function_call",
]);

/**
 * Puts a finish reason in the words of the format. Agents go on only after `tool_calls`, and Gemini's compatible endpoint says
 * `stop` with calls. Throws for a failure that is dressed as a reason.
 */
export function mendFinishReason(choice: Record<string, unknown>, hasToolCalls: boolean, mending: Mending): void {
  const given = choice["finish_reason"];
  if (given === null) return;
  if (typeof given !== "string" || given === "") return mending.set(choice, "finish_reason", null, "finish_reason_missing");
  const word = given.toLowerCase();
  if (FAILURES.has(word)) throw brokeOff(`finish_reason: ${word}`);
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
 * Sets the finish reason of a choice in a JSON response. The response is whole, so every choice has ended: without a valid reason
 * it ended by `stop`, or by `tool_calls` where it has tool calls. Clients read a string there, and agents wait for it.
 */
export function mendFinalReason(choice: Record<string, unknown>, hasToolCalls: boolean, mending: Mending): void {
  const given = choice["finish_reason"];
  if (typeof given === "string" && given !== "") return mendFinishReason(choice, hasToolCalls, mending);
  mending.set(choice, "finish_reason", hasToolCalls ? "tool_calls" : "stop", "finish_reason_missing");
}

/** Whether an answer with this reason may end in the middle of a word. */
export function isCutShort(finishReason: unknown): boolean {
  return finishReason === "length" || finishReason === "content_filter";
}

function filtered(word: string): readonly [string, string] {
  return [word, "content_filter"];
}
