import { brokeOff } from "../refusal.ts";
import type { Completion, UpstreamCall } from "../upstream.ts";
import { writeCompletion } from "../streams/write-completion.ts";
import { newResponseId, promptBlocked, readResponse } from "./gemini-response.ts";
import { rejectFailure, toFinishReason } from "./gemini-finish.ts";
import { DeltaReader, type Delta } from "./gemini-deltas.ts";
import { readUsage } from "./gemini-usage.ts";

/** Translates a complete response into a chat completion. */
export function readGeminiCompletion(text: string, call: UpstreamCall): Completion {
  const report = call.report.bind(call);
  const { id = newResponseId(), parts, finishReason, blockReason, usageMetadata } = readResponse(text);
  if (finishReason === undefined) throw blockReason === undefined ? brokeOff("there is no finish reason") : promptBlocked(blockReason);
  rejectFailure(finishReason);
  const reader = new DeltaReader(report);
  const deltas = [...reader.take(parts), ...reader.end()];
  const toolCalls = deltas.flatMap((delta) => (delta.kind === "call" ? delta.call : []));
  const content = textOf(deltas, "text");
  const usage = readUsage(usageMetadata);
  if (!usage) report(usageMetadata === undefined ? "usage_missing" : "usage_malformed");
  return writeCompletion({
    id,
    model: call.model,
    text: content === "" && toolCalls.length > 0 ? null : content,
    reasoning: textOf(deltas, "reasoning"),
    toolCalls,
    extraContent: deltas.findLast((delta) => delta.kind === "signature")?.extraContent,
    finishReason: toFinishReason(finishReason, toolCalls.length > 0, report),
    usage,
  });
}

function textOf(deltas: readonly Delta[], kind: "text" | "reasoning"): string {
  return deltas.map((delta) => (delta.kind === kind ? delta.text : "")).join("");
}
