import { parseExact } from "../../../lib/json/exact-json.ts";
import { isObject } from "../../../lib/schema/schema.ts";
import type { Usage } from "../../../money/usage.ts";
import { FOREIGN_SIGNATURE, usageToMessages } from "../../../requests/messages-api.ts";
import { usableToolCallId } from "../../../requests/tool-call-id.ts";
import type { Completion } from "../../../upstreams/upstream.ts";
import { argumentsAfterEnd, EventWriter, uniqueId } from "../translation.ts";

type Json = Readonly<Record<string, unknown>>;

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};

/** A chat completion as a message. */
export function toMessage(completion: Completion): Completion {
  const { model, choices } = JSON.parse(completion.body) as { model: unknown; choices: readonly Json[] };
  const { message, finish_reason: reason } = choices[0] ?? {};
  const { content, refusal, reasoning_content: thinking, tool_calls: calls } = isObject(message) ? message : {};
  const blocks: Json[] = [];
  if (typeof thinking === "string" && thinking !== "") blocks.push({ type: "thinking", thinking, signature: FOREIGN_SIGNATURE });
  for (const text of [content, refusal]) if (typeof text === "string" && text !== "") blocks.push({ type: "text", text });
  if (Array.isArray(calls)) blocks.push(...calls.map(toToolUse));
  const { usage, uncountedBytes } = completion;
  const body = {
    ...messageHead(model),
    content: blocks,
    stop_reason: stopReasonOf(reason),
    stop_sequence: null,
    ...(usage && { usage: usageToMessages(usage) }),
  };
  return { body: JSON.stringify(body), usage, uncountedBytes };
}

function messageHead(model: unknown): Json {
  return { id: `msg_${uniqueId()}`, type: "message", role: "assistant", model };
}

function toToolUse(call: Json): Json {
  const { name, arguments: args } = isObject(call["function"]) ? call["function"] : {};
  return { type: "tool_use", id: usableToolCallId(String(call["id"])), name, input: parseArguments(args) };
}

/** Arguments that are not an object, as in a response that was cut short, cannot be an `input`. */
function parseArguments(args: unknown): Json {
  try {
    const input: unknown = parseExact(String(args));
    return isObject(input) ? input : {};
  } catch {
    return {};
  }
}

function stopReasonOf(finishReason: unknown): string {
  return STOP_REASONS[String(finishReason)] ?? "end_turn";
}

/** A tool call of a stream. */
interface ToolCall {
  readonly id: unknown;
  readonly name: unknown;
  args: string;
  state: "waiting" | "open" | "closed";
}

/**
 * Writes the events of one message: one start and one end, blocks one after the other, indexes without gaps. Chunks may mix the arguments
 * of several tool calls, and blocks may not, so a call waits until the one before it is complete.
 */
export class MessageWriter extends EventWriter {
  #hasStarted = false;
  /** The number of blocks so far; the open one is the last. */
  #blocks = 0;
  #open: "thinking" | "text" | ToolCall | undefined;
  /** By their index in the chunks. */
  readonly #calls = new Map<unknown, ToolCall>();
  #stopReason = "end_turn";

  /** The counts are known at the end only, and the start has zeros. */
  override end(usage: Usage): string[] {
    const events: string[] = [];
    this.#closeAll(events);
    const delta = { stop_reason: this.#stopReason, stop_sequence: null };
    events.push(JSON.stringify({ type: "message_delta", delta, usage: usageToMessages(usage) }), '{"type":"message_stop"}');
    return events;
  }

  protected override writeChunk({ model, choices }: Json, events: string[]): void {
    if (!this.#hasStarted) this.#start(model, events);
    const [choice] = Array.isArray(choices) ? (choices as readonly Json[]) : [];
    if (!choice) return;
    const { delta, finish_reason: reason } = choice;
    if (isObject(delta)) this.#writeDelta(delta, events);
    if (typeof reason !== "string") return;
    this.#stopReason = stopReasonOf(reason);
    this.#closeAll(events);
  }

  protected override writeMoreText(text: string): string {
    return `{"type":"content_block_delta","index":${this.#blocks - 1},"delta":{"type":"text_delta","text":"${text}"}}`;
  }

  #start(model: unknown, events: string[]): void {
    this.#hasStarted = true;
    const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
    const message = { ...messageHead(model), content: [], stop_reason: null, stop_sequence: null, usage };
    events.push(JSON.stringify({ type: "message_start", message }));
  }

  #writeDelta({ content, refusal, reasoning_content: thinking, tool_calls: calls }: Json, events: string[]): void {
    if (typeof thinking === "string" && thinking !== "") this.#writeThinking(thinking, events);
    for (const text of [content, refusal]) if (typeof text === "string" && text !== "") this.#writeText(text, events);
    if (Array.isArray(calls)) for (const call of calls) if (isObject(call)) this.#writeCall(call, events);
  }

  #writeThinking(thinking: string, events: string[]): void {
    if (this.#open !== "thinking") this.#openBlock("thinking", { type: "thinking", thinking: "", signature: "" }, events);
    this.#push({ type: "thinking_delta", thinking }, events);
  }

  #writeText(text: string, events: string[]): void {
    if (this.#open !== "text") this.#openBlock("text", { type: "text", text: "" }, events);
    this.#push({ type: "text_delta", text }, events);
  }

  #writeCall({ index, id, function: called }: Json, events: string[]): void {
    const { name, arguments: args } = isObject(called) ? called : {};
    const piece = typeof args === "string" ? args : "";
    const known = this.#calls.get(index);
    if (known) return this.#continueCall(known, piece, events);
    const call: ToolCall = { id: usableToolCallId(String(id)), name, args: piece, state: "waiting" };
    const mustWait = [...this.#calls.values()].some((each) => each.state !== "closed" && !isComplete(each));
    this.#calls.set(index, call);
    if (mustWait) return;
    this.#closeAll(events, call);
    this.#openCall(call, events);
  }

  #continueCall(call: ToolCall, piece: string, events: string[]): void {
    if (call.state === "closed" && piece.trim() !== "") throw argumentsAfterEnd();
    call.args += piece;
    if (call.state === "open" && piece !== "") this.#push({ type: "input_json_delta", partial_json: piece }, events);
  }

  #openCall(call: ToolCall, events: string[]): void {
    const { id, name, args } = call;
    call.state = "open";
    this.#openBlock(call, { type: "tool_use", id, name, input: {} }, events);
    if (args !== "") this.#push({ type: "input_json_delta", partial_json: args }, events);
  }

  #openBlock(open: "thinking" | "text" | ToolCall, block: Json, events: string[]): void {
    if (typeof open === "string") this.#closeAll(events);
    this.#open = open;
    events.push(JSON.stringify({ type: "content_block_start", index: this.#blocks++, content_block: block }));
  }

  #push(delta: Json, events: string[]): void {
    events.push(JSON.stringify({ type: "content_block_delta", index: this.#blocks - 1, delta }));
  }

  /** Closes the open block, and writes the calls that wait behind it, except one that is about to be opened. */
  #closeAll(events: string[], except?: ToolCall): void {
    this.#closeOpen(events);
    for (const call of this.#calls.values()) {
      if (call.state !== "waiting" || call === except) continue;
      this.#openCall(call, events);
      this.#closeOpen(events);
    }
  }

  #closeOpen(events: string[]): void {
    const open = this.#open;
    if (open === undefined) return;
    if (open === "thinking") this.#push({ type: "signature_delta", signature: FOREIGN_SIGNATURE }, events);
    if (typeof open === "object") open.state = "closed";
    events.push(JSON.stringify({ type: "content_block_stop", index: this.#blocks - 1 }));
    this.#open = undefined;
  }
}

/** Whether the arguments of a call are whole, so that another block can follow. Some servers open all calls before the first argument. */
function isComplete({ args }: ToolCall): boolean {
  try {
    JSON.parse(args);
    return true;
  } catch {
    return false;
  }
}
