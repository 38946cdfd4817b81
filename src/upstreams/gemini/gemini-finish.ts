import type { Deviation } from "../../models/deviation.ts";
import { refusalInside } from "../refusal.ts";

/** Words for an answer that was stopped for what is in it. */
const FILTERED: ReadonlySet<string> = new Set([
  "SAFETY",
  "RECITATION",
  "LANGUAGE",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
]);

/** Words for an answer that went wrong. What there is of it must not be taken for a whole one. */
const FAILED: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE",
]);

/** Throws for an answer that went wrong, whatever came before. */
export function requireAnswer(reason: string): void {
  if (FAILED.has(reason)) throw refusalInside({ message: `it ended with ${reason}`, kind: "", param: undefined });
}

/**
 * The finish reason, from the closed list that clients know. `OTHER`, and words that are new, stand for an end that the model did
 * not choose: nearest to a filter's, and never a clean stop.
 */
export function toFinishReason(reason: string, hasToolCalls: boolean, report: (deviation: Deviation) => void): string {
  if (reason === "STOP") return hasToolCalls ? "tool_calls" : "stop";
  if (reason === "MAX_TOKENS") return "length";
  if (!FILTERED.has(reason)) report("finish_reason_unknown");
  return "content_filter";
}
