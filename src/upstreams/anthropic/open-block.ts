import { isJsonWithin, JsonBudget } from "../../lib/json/json-budget.ts";
import { JSON_LIMITS } from "../../lib/json/json-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { ChunkWriter } from "../streams/chunk-writer.ts";
import { unparsableResponse } from "../refusal.ts";
import type { StreamedCall } from "../upstream.ts";
import { thinkingContent } from "./anthropic-completion.ts";
import { toolIdOf } from "../streams/write-completion.ts";

type Json = Readonly<Record<string, unknown>>;

/** The state of one stream: its writer, and the thinking buffered for the next tool call. */
export interface StreamState {
  readonly writer: ChunkWriter;
  toolCalls: number;
  /** Completed thinking blocks, for the tool call that follows. */
  thinking: Json[];
  bufferedChars: number;
}

/** A content block whose `content_block_stop` has not arrived yet. */
export interface OpenBlock {
  add(delta: Json, chunks: string[]): void;
  close(chunks: string[]): void;
}

/** Bounds the memory of one stream. No model produces this much thinking. */
const MAX_BUFFERED_CHARS = 8 * 1024 * 1024;

/** Opens a block. Other block types come from server-side tools, whose results are in the text. */
export function openBlock(block: unknown, state: StreamState, call: StreamedCall, chunks: string[]): OpenBlock {
  const start = isObject(block) ? block : {};
  switch (start["type"]) {
    case "text":
      return openText(start, state, call, chunks);
    case "thinking":
      return openThinking(start, state, call, chunks);
    case "redacted_thinking":
      return openRedacted(start, state);
    case "tool_use":
      return openToolUse(start, state, call, chunks);
    default:
      call.report("event_unexpected");
      return { add: ignore, close: ignore };
  }
}

function openText(start: Json, { writer }: StreamState, call: StreamedCall, chunks: string[]): OpenBlock {
  const writeText = (text: unknown, into: string[]): void => {
    if (typeof text === "string" && text !== "") into.push(writer.text(text));
  };
  writeText(start["text"], chunks);
  return {
    add(delta, into) {
      if (delta["type"] === "text_delta") writeText(delta["text"], into);
      else if (delta["type"] !== "citations_delta") call.report("event_unexpected");
    },
    close: ignore,
  };
}

function openThinking(start: Json, state: StreamState, call: StreamedCall, chunks: string[]): OpenBlock {
  const deltas: string[] = [];
  let { signature = "" } = start;
  const writeThinking = (text: unknown, into: string[]): void => {
    if (typeof text !== "string" || text === "") return;
    countBuffered(state, text);
    deltas.push(text);
    into.push(state.writer.reasoning(text));
  };
  writeThinking(start["thinking"], chunks);
  return {
    add(delta, into) {
      if (delta["type"] === "thinking_delta") writeThinking(delta["thinking"], into);
      else if (delta["type"] === "signature_delta") signature = delta["signature"];
      else call.report("event_unexpected");
    },
    close() {
      countBuffered(state, signature);
      state.thinking.push({ type: "thinking", thinking: deltas.join(""), signature });
    },
  };
}

/** Encrypted thinking. It is not shown, but the API requires it back. */
function openRedacted({ data }: Json, state: StreamState): OpenBlock {
  countBuffered(state, data);
  return { add: ignore, close: () => void state.thinking.push({ type: "redacted_thinking", data }) };
}

/** A tool call. A call without arguments gets `{}`, because every client parses the arguments. */
function openToolUse(start: Json, state: StreamState, call: StreamedCall, chunks: string[]): OpenBlock {
  const at = state.toolCalls++;
  const name = typeof start["name"] === "string" ? start["name"] : "";
  chunks.push(state.writer.toolCall({ id: toolIdOf(start["id"], "toolu", call), name, extraContent: thinkingContent(state.thinking) }));
  state.thinking = [];
  const deltas: string[] = [];
  return {
    add(delta, into) {
      const { type, partial_json: json } = delta;
      if (type !== "input_json_delta" || typeof json !== "string") return call.report("event_unexpected");
      if (json === "") return;
      countBuffered(state, json);
      deltas.push(json);
      into.push(state.writer.toolArguments(json, at));
    },
    close(into) {
      if (deltas.length === 0) into.push(state.writer.toolArguments(JSON.stringify(start["input"] ?? {}), at));
      else if (!isJsonWithin(deltas.join(""), new JsonBudget(JSON_LIMITS))) call.report("arguments_unparsable");
    },
  };
}

function countBuffered(state: StreamState, text: unknown): void {
  state.bufferedChars += typeof text === "string" ? text.length : 0;
  if (state.bufferedChars > MAX_BUFFERED_CHARS) throw unparsableResponse("thinking without an end");
}

function ignore(): void {
  // Nothing to send to the caller.
}
