import type { Deviation } from "../../models/deviation.ts";
import { refusalInside } from "../refusal.ts";

/** Finish reasons of a response that a content filter stopped. */
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

/** Finish reasons of a failed response. Partial output must not pass for a complete response. */
const FAILED: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE",
]);

/** Throws if the finish reason is a failure. */
export function rejectFailure(reason: string): void {
  if (FAILED.has(reason)) throw refusalInside({ message: `it ended with ${reason}`, kind: "", param: undefined });
}

/**
 * Maps to the closed list of finish reasons that clients know. `OTHER` and unknown reasons mean that the model did not choose to stop:
 * `content_filter` is the closest, and `stop` would be wrong.
 */
export function toFinishReason(reason: string, hasToolCalls: boolean, report: (deviation: Deviation) => void): string {
  if (reason === "STOP") return hasToolCalls ? "tool_calls" : "stop";
  if (reason === "MAX_TOKENS") return "length";
  if (!FILTERED.has(reason)) report("finish_reason_unknown");
  return "content_filter";
}
