import { brokeOff } from "../refusal.ts";
import type { Completion, UpstreamCall } from "../upstream.ts";
import { writeCompletion } from "../streams/write-completion.ts";
import { newAnswerId, promptBlocked, readAnswer } from "./gemini-response.ts";
import { requireAnswer, toFinishReason } from "./gemini-finish.ts";
import { PieceReader, type Piece } from "./gemini-deltas.ts";
import { readUsage } from "./gemini-usage.ts";

/** A whole answer, in the chat-completions format. */
export function readGeminiCompletion(text: string, call: UpstreamCall): Completion {
  const report = call.report.bind(call);
  const { id = newAnswerId(), parts, finishReason, blockReason, usageMetadata } = readAnswer(text);
  if (finishReason === undefined) throw blockReason === undefined ? brokeOff("there is no finish reason") : promptBlocked(blockReason);
  requireAnswer(finishReason);
  const reader = new PieceReader(report);
  const pieces = [...reader.take(parts), ...reader.end()];
  const toolCalls = pieces.flatMap((piece) => (piece.kind === "call" ? piece.call : []));
  const said = textOf(pieces, "text");
  const usage = readUsage(usageMetadata);
  if (!usage) report(usageMetadata === undefined ? "usage_missing" : "usage_malformed");
  return writeCompletion({
    id,
    model: call.chat.model,
    text: said === "" && toolCalls.length > 0 ? null : said,
    reasoning: textOf(pieces, "reasoning"),
    toolCalls,
    extraContent: pieces.findLast((piece) => piece.kind === "signature")?.extraContent,
    finishReason: toFinishReason(finishReason, toolCalls.length > 0, report),
    usage,
  });
}

function textOf(pieces: readonly Piece[], kind: "text" | "reasoning"): string {
  return pieces.map((piece) => (piece.kind === kind ? piece.text : "")).join("");
}
