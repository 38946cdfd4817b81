/** Responses in the Messages format, complete and as events, as documented. */
import { inTwo } from "./answer-parts.ts";

type Json = Record<string, unknown>;

export const text = (words: string): Json => ({ type: "text", text: words });
export const thinking = (words: string, signature = "c2lnbmF0dXJl"): Json => ({ type: "thinking", thinking: words, signature });
export const redacted = (data = "ZGF0YQ=="): Json => ({ type: "redacted_thinking", data });
export const toolUse = (id: string, name: string, input: unknown = {}): Json => ({ type: "tool_use", id, name, input });

/** 10 uncached tokens, 3 read from the cache and 2 written to it; 7 output tokens. */
export const COUNTS = { input_tokens: 10, cache_read_input_tokens: 3, cache_creation_input_tokens: 2, output_tokens: 7 };

/** A complete response. */
export function message(content: readonly Json[], stopReason = "end_turn", more: Json = {}): Json {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5-20250929",
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: COUNTS,
    ...more,
  };
}

export const START = { type: "message_start", message: message([], "", { stop_reason: null, usage: { ...COUNTS, output_tokens: 1 } }) };
export const STOP = { type: "message_stop" };
export const PING = { type: "ping" };

export const blockStart = (index: number, block: Json): Json => ({ type: "content_block_start", index, content_block: block });
export const blockDelta = (index: number, delta: Json): Json => ({ type: "content_block_delta", index, delta });
export const blockStop = (index: number): Json => ({ type: "content_block_stop", index });
export const messageDelta = (stopReason: string | null, usage: unknown = COUNTS): Json => ({
  type: "message_delta",
  delta: { stop_reason: stopReason, stop_sequence: null },
  usage,
});
export const errorEvent = (type: string, words = "Overloaded"): Json => ({ type: "error", error: { type, message: words } });

/** The events of a response with this content, each text split in two. */
export function eventsOf(content: readonly Json[], stopReason = "end_turn"): Json[] {
  return [START, PING, ...content.flatMap((block, at) => blockEvents(block, at)), messageDelta(stopReason), STOP];
}

export function blockEvents(block: Json, at: number, cut: (words: string) => string[] = inTwo): Json[] {
  return [blockStart(at, emptied(block)), ...deltasOf(block, cut).map((delta) => blockDelta(at, delta)), blockStop(at)];
}

function emptied(block: Json): Json {
  if (block["type"] === "text") return { ...block, text: "" };
  if (block["type"] === "thinking") return { ...block, thinking: "", signature: "" };
  return block["type"] === "tool_use" ? { ...block, input: {} } : block;
}

function deltasOf(block: Json, cut: (words: string) => string[]): Json[] {
  const { type, signature, input } = block;
  if (type === "text") return cut(block["text"] as string).map((words) => ({ type: "text_delta", text: words }));
  if (type === "thinking") {
    const thoughts = cut(block["thinking"] as string).map((words) => ({ type: "thinking_delta", thinking: words }));
    return [...thoughts, { type: "signature_delta", signature }];
  }
  if (type !== "tool_use") return [];
  // A call without arguments has one empty piece.
  const json = JSON.stringify(input) === "{}" ? [""] : ["", ...cut(JSON.stringify(input))];
  return json.map((piece) => ({ type: "input_json_delta", partial_json: piece }));
}

/** The bytes of an event stream, with the API's event names. */
export function wireOf(events: readonly Json[]): string {
  return events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** Errors of Anthropic with status 400, as if about the request, that are about the operator's account. */
export const ABOUT_THE_ACCOUNT = [
  "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
  "You have reached your specified workspace API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
  "This organization has been disabled.",
];
