import type { UpstreamCall } from "../upstream.ts";

const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

/** Maps a stop reason to a finish reason. Agents continue only after `tool_calls`, so it is set exactly when there are tool calls. */
export function finishReasonOf(stopReason: unknown, hasToolCalls: boolean, call: Pick<UpstreamCall, "report">): string {
  const isKnown = typeof stopReason === "string" && Object.hasOwn(FINISH_REASONS, stopReason);
  if (!isKnown) call.report("finish_reason_unknown");
  const reason = isKnown ? FINISH_REASONS[stopReason]! : "stop";
  const fitting = reason === "stop" || reason === "tool_calls" ? (hasToolCalls ? "tool_calls" : "stop") : reason;
  if (isKnown && fitting !== reason) call.report("finish_reason_wrong");
  return fitting;
}
