import { refusalInside } from "../refusal.ts";
import type { UpstreamCall } from "../upstream.ts";

const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  content_filtered: "content_filter",
  guardrail_intervened: "content_filter",
};

/** Stop reasons of a failed response. Partial output must not pass for a complete response. */
const FAILED: ReadonlySet<unknown> = new Set(["malformed_model_output", "malformed_tool_use"]);

/**
 * Maps a stop reason; throws if it is a failure. Agents continue only after `tool_calls`, so it is set exactly when there are tool calls.
 */
export function finishReasonOf(stopReason: unknown, hasToolCalls: boolean, call: Pick<UpstreamCall, "report">): string {
  if (FAILED.has(stopReason)) throw refusalInside({ message: `it ended with ${String(stopReason)}`, kind: "", param: undefined });
  const isKnown = typeof stopReason === "string" && Object.hasOwn(FINISH_REASONS, stopReason);
  if (!isKnown) call.report("finish_reason_unknown");
  const reason = isKnown ? FINISH_REASONS[stopReason]! : "stop";
  const fitting = reason === "stop" || reason === "tool_calls" ? (hasToolCalls ? "tool_calls" : "stop") : reason;
  if (isKnown && fitting !== reason) call.report("finish_reason_wrong");
  return fitting;
}
