import { eventFrame } from "./converse-frames.ts";
import { inTwo } from "./answer-parts.ts";

/** Responses of the Converse API, complete and as events, in the form of its published types. */

type Json = Record<string, unknown>;

/** An event of a stream: its type, and its payload. */
export type Event = readonly [type: string, payload: Json];

export const text = (words: string): Json => ({ text: words });
export const toolUse = (toolUseId: string, name: string, input: unknown = {}): Json => ({ toolUse: { toolUseId, name, input } });
export const reasoning = (words: string, signature = "c2lnbmVk"): Json => ({
  reasoningContent: { reasoningText: { text: words, signature } },
});
export const redacted = (data = "ZGF0YQ=="): Json => ({ reasoningContent: { redactedContent: data } });

/** 10 uncached tokens, 3 read from the cache and 2 written to it; 7 output tokens. */
export const COUNTS = { inputTokens: 10, cacheReadInputTokens: 3, cacheWriteInputTokens: 2, outputTokens: 7, totalTokens: 22 };

/** A complete response. */
export function answerOf(content: readonly Json[], stopReason = "end_turn", usage: unknown = COUNTS): Json {
  return { output: { message: { role: "assistant", content } }, stopReason, usage, metrics: { latencyMs: 5 } };
}

export const START: Event = ["messageStart", { role: "assistant" }];
export const start = (at: number, id: string, name: string): Event => [
  "contentBlockStart",
  { contentBlockIndex: at, start: { toolUse: { toolUseId: id, name } } },
];
export const delta = (at: number, piece: Json): Event => ["contentBlockDelta", { contentBlockIndex: at, delta: piece }];
export const stop = (at: number): Event => ["contentBlockStop", { contentBlockIndex: at }];
export const messageStop = (stopReason: string): Event => ["messageStop", { stopReason }];
export const metadata = (usage: unknown = COUNTS): Event => ["metadata", { usage, metrics: { latencyMs: 5 } }];

/** The events of a response with this content, each text split in two. Only tool calls have a start event. */
export function eventsOf(content: readonly Json[], stopReason = "end_turn", usage: unknown = COUNTS): Event[] {
  return [START, ...content.flatMap((block, at) => blockEvents(block, at)), messageStop(stopReason), metadata(usage)];
}

function blockEvents(block: Json, at: number): Event[] {
  const { toolUse: use } = block as { toolUse?: { toolUseId: string; name: string } };
  const first = use ? [start(at, use.toolUseId, use.name)] : [];
  return [...first, ...deltasOf(block).map((piece) => delta(at, piece)), stop(at)];
}

function deltasOf(block: Json): Json[] {
  const { text: words, toolUse: use, reasoningContent } = block;
  if (typeof words === "string") return inTwo(words).map((piece) => ({ text: piece }));
  if (use !== undefined) {
    const json = JSON.stringify((use as Json)["input"]);
    return (json === "{}" ? [] : inTwo(json)).map((input) => ({ toolUse: { input } }));
  }
  const { reasoningText, redactedContent } = reasoningContent as { reasoningText?: Json; redactedContent?: string };
  if (redactedContent !== undefined) return [{ reasoningContent: { redactedContent } }];
  const { text: thought, signature } = reasoningText as { text: string; signature: string };
  return [...inTwo(thought).map((piece) => ({ reasoningContent: { text: piece } })), { reasoningContent: { signature } }];
}

/** The frames of a stream. */
export function framesOf(events: readonly Event[]): Buffer[] {
  return events.map(([type, payload]) => eventFrame(type, payload));
}
