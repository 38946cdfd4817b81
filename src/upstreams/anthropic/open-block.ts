import { isObject } from "../../lib/schema/schema.ts";
import type { ChunkWriter } from "../streams/chunk-writer.ts";
import { notUnderstood } from "../refusal.ts";
import type { StreamedCall } from "../upstream.ts";
import { keptThinking, toolIdOf } from "./anthropic-completion.ts";

type Json = Readonly<Record<string, unknown>>;

/** What has been sent of a stream, and what is kept of it. */
export interface StreamSoFar {
  readonly writer: ChunkWriter;
  toolCalls: number;
  /** Thinking that has ended, for the tool call that follows. */
  thinking: Json[];
  keptChars: number;
}

/** A block of an answer that is not at its end yet. */
export interface OpenBlock {
  /** Takes the next piece. */
  add(delta: Json, chunks: string[]): void;
  close(chunks: string[]): void;
}

/** What is kept of a stream grows with it. No model thinks that long. */
const MAX_KEPT_CHARS = 8 * 1024 * 1024;

/** Opens a block. Those of other kinds are the provider's own tools at work, whose outcome is in the text. */
export function openBlock(block: unknown, soFar: StreamSoFar, call: StreamedCall, chunks: string[]): OpenBlock {
  const start = isObject(block) ? block : {};
  switch (start["type"]) {
    case "text":
      return openText(start, soFar, call, chunks);
    case "thinking":
      return openThinking(start, soFar, call, chunks);
    case "redacted_thinking":
      return openRedacted(start, soFar);
    case "tool_use":
      return openToolUse(start, soFar, call, chunks);
    default:
      call.report("event_unexpected");
      return { add: ignore, close: ignore };
  }
}

function openText(start: Json, { writer }: StreamSoFar, call: StreamedCall, chunks: string[]): OpenBlock {
  const say = (text: unknown, into: string[]): void => {
    if (typeof text === "string" && text !== "") into.push(writer.text(text));
  };
  say(start["text"], chunks);
  return {
    add(delta, into) {
      if (delta["type"] === "text_delta") say(delta["text"], into);
      else if (delta["type"] !== "citations_delta") call.report("event_unexpected");
    },
    close: ignore,
  };
}

function openThinking(start: Json, soFar: StreamSoFar, call: StreamedCall, chunks: string[]): OpenBlock {
  const pieces: string[] = [];
  let { signature = "" } = start;
  const think = (text: unknown, into: string[]): void => {
    if (typeof text !== "string" || text === "") return;
    keep(soFar, text);
    pieces.push(text);
    into.push(soFar.writer.reasoning(text));
  };
  think(start["thinking"], chunks);
  return {
    add(delta, into) {
      if (delta["type"] === "thinking_delta") think(delta["thinking"], into);
      else if (delta["type"] === "signature_delta") signature = delta["signature"];
      else call.report("event_unexpected");
    },
    close() {
      keep(soFar, signature);
      soFar.thinking.push({ type: "thinking", thinking: pieces.join(""), signature });
    },
  };
}

/** Thinking that nobody may read. It still has to come back. */
function openRedacted({ data }: Json, soFar: StreamSoFar): OpenBlock {
  keep(soFar, data);
  return { add: ignore, close: () => void soFar.thinking.push({ type: "redacted_thinking", data }) };
}

/** A call of a tool. One without arguments has an empty object for them: every client parses what it gets. */
function openToolUse(start: Json, soFar: StreamSoFar, call: StreamedCall, chunks: string[]): OpenBlock {
  const at = soFar.toolCalls++;
  const name = typeof start["name"] === "string" ? start["name"] : "";
  chunks.push(soFar.writer.toolCall({ id: toolIdOf(start, call), name, extraContent: keptThinking(soFar.thinking) }));
  soFar.thinking = [];
  const pieces: string[] = [];
  return {
    add(delta, into) {
      const { type, partial_json: piece } = delta;
      if (type !== "input_json_delta" || typeof piece !== "string") return call.report("event_unexpected");
      if (piece === "") return;
      keep(soFar, piece);
      pieces.push(piece);
      into.push(soFar.writer.toolArguments(piece, at));
    },
    close(into) {
      if (pieces.length === 0) into.push(soFar.writer.toolArguments(JSON.stringify(start["input"] ?? {}), at));
      else if (!isJson(pieces.join(""))) call.report("arguments_unparsable");
    },
  };
}

function keep(soFar: StreamSoFar, text: unknown): void {
  soFar.keptChars += typeof text === "string" ? text.length : 0;
  if (soFar.keptChars > MAX_KEPT_CHARS) throw notUnderstood("thinking without an end");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function ignore(): void {
  // It says nothing to the caller.
}
