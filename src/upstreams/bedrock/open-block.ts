import { isJsonWithin, JsonBudget } from "../../lib/json/json-budget.ts";
import { JSON_LIMITS } from "../../lib/json/json-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { unparsableResponse } from "../refusal.ts";
import type { ChunkWriter } from "../streams/chunk-writer.ts";
import type { StreamedCall } from "../upstream.ts";
import { reasoningContent, signedReasoning } from "./bedrock-reasoning.ts";
import { toolIdOf } from "../streams/write-completion.ts";

type Json = Readonly<Record<string, unknown>>;

/** The state of one stream: its writer, and the reasoning buffered for the next tool call. */
export interface StreamState {
  readonly writer: ChunkWriter;
  readonly call: StreamedCall;
  toolCalls: number;
  /** Completed reasoning, for the tool call that follows. */
  reasoning: object[];
  bufferedChars: number;
}

/** A content block whose `contentBlockStop` has not arrived yet. */
export interface OpenBlock {
  add(delta: Json, chunks: string[]): void;
  close(chunks: string[]): void;
}

/** Bounds the memory of one stream. No model produces this much reasoning. */
const MAX_BUFFERED_CHARS = 8 * 1024 * 1024;

/** Opens the block that a delta without a `contentBlockStart` belongs to: only tool calls have a start. */
export function openByDelta(delta: Json, state: StreamState): OpenBlock | undefined {
  if (typeof delta["text"] === "string") return openText(state);
  return isObject(delta["reasoningContent"]) ? openReasoning(state) : undefined;
}

function openText({ writer, call }: StreamState): OpenBlock {
  return {
    add({ text }, chunks) {
      if (typeof text !== "string") call.report("event_unexpected");
      else if (text !== "") chunks.push(writer.text(text));
    },
    close: ignore,
  };
}

/** Reasoning is signed text, or encrypted. Encrypted reasoning is not shown, but the API requires it back. */
function openReasoning(state: StreamState): OpenBlock {
  const texts: string[] = [];
  const signatures: string[] = [];
  const encrypted: Buffer[] = [];
  return {
    add({ reasoningContent: content }, chunks) {
      const { text, signature, redactedContent } = isObject(content) ? content : {};
      for (const each of [text, signature, redactedContent]) countBuffered(state, each);
      if (typeof signature === "string") signatures.push(signature);
      else if (typeof redactedContent === "string") encrypted.push(Buffer.from(redactedContent, "base64"));
      else if (typeof text !== "string") state.call.report("event_unexpected");
      if (typeof text !== "string" || text === "") return;
      texts.push(text);
      chunks.push(state.writer.reasoning(text));
    },
    close() {
      const reasoningText = { text: texts.join(""), signature: signatures.join("") };
      const whole = encrypted.length > 0 ? { redactedContent: Buffer.concat(encrypted).toString("base64") } : { reasoningText };
      const signed = signedReasoning(whole);
      if (signed) state.reasoning.push(signed);
    },
  };
}

/** A tool call. A call without arguments gets `{}`, because every client parses the arguments. */
export function openToolUse(start: Json, state: StreamState, chunks: string[]): OpenBlock {
  const { writer, call } = state;
  const at = state.toolCalls++;
  const name = typeof start["name"] === "string" ? start["name"] : "";
  chunks.push(
    writer.toolCall({ id: toolIdOf(start["toolUseId"], "tooluse", call), name, extraContent: reasoningContent(state.reasoning) }),
  );
  state.reasoning = [];
  const deltas: string[] = [];
  return {
    add({ toolUse }, into) {
      const input = isObject(toolUse) ? toolUse["input"] : undefined;
      if (typeof input !== "string") return call.report("event_unexpected");
      if (input === "") return;
      countBuffered(state, input);
      deltas.push(input);
      into.push(writer.toolArguments(input, at));
    },
    close(into) {
      if (deltas.length === 0) into.push(writer.toolArguments("{}", at));
      else if (!isJsonWithin(deltas.join(""), new JsonBudget(JSON_LIMITS))) call.report("arguments_unparsable");
    },
  };
}

function countBuffered(state: StreamState, text: unknown): void {
  state.bufferedChars += typeof text === "string" ? text.length : 0;
  if (state.bufferedChars > MAX_BUFFERED_CHARS) throw unparsableResponse("reasoning without an end");
}

function ignore(): void {
  // Nothing to send to the caller.
}
