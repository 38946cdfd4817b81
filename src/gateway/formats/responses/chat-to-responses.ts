import { parseExact } from "../../../lib/json/exact-json.ts";
import { tryParse } from "../../../lib/json/try-parse.ts";
import { isObject } from "../../../lib/schema/schema.ts";
import type { Usage } from "../../../money/usage.ts";
import { usageToResponses } from "../../../requests/responses-api.ts";
import { usableToolCallId } from "../../../requests/tool-call-id.ts";
import type { Completion } from "../../../upstreams/upstream.ts";
import { argumentsAfterEnd, EventWriter, uniqueId } from "../translation.ts";
import type { ResponseTool, ResponseTools } from "./response-tools.ts";

type Json = Readonly<Record<string, unknown>>;

/** OpenAI's limit for IDs of calls. */
const MAX_CALL_ID = 64;

/** Why a response is incomplete, by its finish reason. */
const INCOMPLETE: Readonly<Record<string, string>> = { length: "max_output_tokens", content_filter: "content_filter" };

/**
 * The settings of a request that its response repeats, as JSON between braces. Texts are not repeated: they are long, each snapshot of a
 * stream would have them, and in an outline long ones are placeholders, which no client may see.
 */
export function echoedFields({ max_output_tokens: maxTokens, parallel_tool_calls: isParallel, temperature, top_p: topP }: Json): string {
  return membersOf({
    background: false,
    instructions: null,
    max_output_tokens: maxTokens ?? null,
    metadata: {},
    parallel_tool_calls: isParallel ?? true,
    previous_response_id: null,
    reasoning: null,
    store: false,
    temperature: temperature ?? null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: topP ?? null,
    truncation: "disabled",
    user: null,
  });
}

function membersOf(object: Json): string {
  return JSON.stringify(object).slice(1, -1);
}

/** A chat completion as a response. */
export function toResponse(completion: Completion, tools: ResponseTools, echoed: string): Completion {
  const { created, model, choices } = JSON.parse(completion.body) as { choices: readonly Json[] } & Json;
  const { message, finish_reason: reason } = choices[0] ?? {};
  const { tool_calls: calls, ...delta } = isObject(message) ? message : {};
  const indexed = Array.isArray(calls) ? calls.map((call: Json, index) => ({ ...call, index })) : undefined;
  const writer = new ResponseWriter(tools, echoed);
  writer.writeChunk({ created, model, choices: [{ delta: { ...delta, tool_calls: indexed }, finish_reason: reason }] });
  const { usage, uncountedBytes } = completion;
  return { body: writer.finished(usage), usage, uncountedBytes };
}

interface OpenReasoning {
  readonly kind: "reasoning";
  readonly at: number;
  readonly id: string;
  text: string;
}

interface OpenMessage {
  readonly kind: "message";
  readonly at: number;
  readonly id: string;
  /** Text and refusals, in their order. The last part is open. */
  readonly parts: MessagePart[];
}

interface MessagePart {
  readonly type: "output_text" | "refusal";
  text: string;
}

interface OpenCall {
  readonly at: number;
  readonly id: string;
  readonly callId: string;
  readonly tool: ResponseTool;
  args: string;
}

/**
 * Writes the events of one response: one start and one end, items opened before their deltas and closed before the end, sequence numbers
 * without gaps. Calls may be open together, as their arguments may arrive mixed.
 */
export class ResponseWriter extends EventWriter {
  readonly #tools: ResponseTools;
  readonly #echoed: string;
  /** The fields that all snapshots have, as JSON between braces. Undefined before the first chunk. */
  #head: string | undefined;
  readonly #id = uniqueId();
  #sequence = 0;
  /** The items so far, by their index; undefined while one is open. */
  readonly #output: (Json | undefined)[] = [];
  #open: OpenReasoning | OpenMessage | undefined;
  /** By their index in the chunks; undefined once closed. */
  readonly #calls = new Map<unknown, OpenCall | undefined>();
  #finishReason = "stop";
  /** The fields of an event that say where the open text is. */
  #textPlace: string | undefined;
  /** Undefined for a response that is not streamed. */
  #events: string[] | undefined;
  /** The events that have closed the last items. */
  readonly #closing: string[] = [];

  constructor(tools: ResponseTools, echoed: string) {
    super();
    this.#tools = tools;
    this.#echoed = echoed;
  }

  end(usage: Usage): readonly string[] {
    this.#events = this.#closing;
    const response = this.finished(usage);
    const type = INCOMPLETE[this.#finishReason] === undefined ? "response.completed" : "response.incomplete";
    return [...this.#closing, snapshotEvent(type, this.#sequence, response)];
  }

  /** The whole response, as JSON. */
  finished(usage: Usage | undefined): string {
    if (this.#head === undefined) this.#start(undefined, undefined);
    const reason = INCOMPLETE[this.#finishReason];
    const status = reason === undefined ? "completed" : "incomplete";
    this.#closeOpen(status);
    for (const [index, call] of this.#calls) if (call && !isCut(call.args, this.#finishReason)) this.#closeCall(index, call);
    const output = this.#output.filter((item) => item !== undefined);
    return this.#snapshot({
      status,
      error: null,
      incomplete_details: reason === undefined ? null : { reason },
      output,
      usage: usage ? usageToResponses(usage) : null,
    });
  }

  override writeChunk({ created, model, choices }: Json, events?: string[]): void {
    this.#events = events;
    if (!this.#head) this.#start(created, model);
    const [choice] = Array.isArray(choices) ? (choices as readonly Json[]) : [];
    if (!choice) return;
    const { delta, finish_reason: reason } = choice;
    if (isObject(delta)) this.#writeDelta(delta);
    if (typeof reason === "string") this.#finishReason = reason;
  }

  protected override writeMoreText(text: string): string {
    const open = this.#open as OpenMessage;
    const part = open.parts.at(-1)!;
    part.text += text;
    this.#textPlace ??= JSON.stringify(contentAt(open)).slice(1, -1);
    return `{"type":"response.output_text.delta","sequence_number":${this.#sequence++},${this.#textPlace},"delta":"${text}","logprobs":[]}`;
  }

  #start(created: unknown, model: unknown): void {
    this.#head = membersOf({ id: `resp_${this.#id}`, object: "response", created_at: created, model });
    if (!this.#events) return;
    const response = this.#snapshot({ status: "in_progress", error: null, incomplete_details: null, output: [], usage: null });
    for (const type of ["response.created", "response.in_progress"]) this.#events.push(snapshotEvent(type, this.#sequence++, response));
  }

  #snapshot(fields: Json): string {
    return `{${this.#head},${this.#echoed},${membersOf(fields)}}`;
  }

  #writeDelta({ content, refusal, reasoning_content: reasoning, tool_calls: calls }: Json): void {
    if (isText(reasoning)) this.#writeReasoning(reasoning);
    if (isText(content)) this.#writeText("output_text", content);
    if (isText(refusal)) this.#writeText("refusal", refusal);
    if (Array.isArray(calls)) for (const call of calls) if (isObject(call)) this.#writeCall(call);
  }

  /** Reasoning is sent as a summary, which is what clients show. */
  #writeReasoning(delta: string): void {
    let open = this.#open;
    if (open?.kind !== "reasoning") {
      this.#closeOpen("completed");
      open = this.#open = { kind: "reasoning", at: this.#nextAt(), id: this.#itemId("rs"), text: "" };
      this.#added(open.at, { id: open.id, type: "reasoning", summary: [] });
      this.#push("response.reasoning_summary_part.added", { ...summaryAt(open), part: { type: "summary_text", text: "" } });
    }
    open.text += delta;
    this.#push("response.reasoning_summary_text.delta", { ...summaryAt(open), delta });
  }

  #writeText(type: MessagePart["type"], delta: string): void {
    let open = this.#open;
    if (open?.kind !== "message") {
      this.#closeOpen("completed");
      open = this.#open = { kind: "message", at: this.#nextAt(), id: this.#itemId("msg"), parts: [] };
      this.#added(open.at, { id: open.id, type: "message", status: "in_progress", role: "assistant", content: [] });
    }
    let part = open.parts.at(-1);
    if (part?.type !== type) {
      this.#textPlace = undefined;
      this.#closePart(open);
      open.parts.push((part = { type, text: "" }));
      this.#push("response.content_part.added", { ...contentAt(open), part: toPart(part) });
    }
    part.text += delta;
    if (!this.#events) return;
    const fields = type === "output_text" ? { delta, logprobs: [] } : { delta };
    this.#push(type === "output_text" ? "response.output_text.delta" : "response.refusal.delta", { ...contentAt(open), ...fields });
  }

  #writeCall({ index, id, function: called }: Json): void {
    const { name, arguments: args } = isObject(called) ? called : {};
    const piece = typeof args === "string" ? args : "";
    let call = this.#calls.get(index);
    if (!call) {
      if (this.#calls.has(index)) throw argumentsAfterEnd();
      this.#closeOpen("completed");
      call = {
        at: this.#nextAt(),
        id: this.#itemId("fc"),
        callId: usableToolCallId(String(id), MAX_CALL_ID),
        tool: this.#tools.find(String(name)),
        args: "",
      };
      this.#calls.set(index, call);
      this.#added(call.at, toCallItem(call, "in_progress", false));
    }
    call.args += piece;
    // The input of other tools is inside the arguments, which are complete at the end only.
    if (piece !== "" && call.tool.kind === "function") {
      this.#push("response.function_call_arguments.delta", { ...itemAt(call), delta: piece });
    }
  }

  #closeOpen(status: string): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    if (open.kind === "message") return this.#closeMessage(open, status);
    const part = { type: "summary_text", text: open.text };
    this.#push("response.reasoning_summary_text.done", { ...summaryAt(open), text: open.text });
    this.#push("response.reasoning_summary_part.done", { ...summaryAt(open), part });
    this.#done(open.at, { id: open.id, type: "reasoning", summary: [part] });
  }

  #closeMessage(open: OpenMessage, status: string): void {
    this.#closePart(open);
    this.#done(open.at, { id: open.id, type: "message", status, role: "assistant", content: open.parts.map(toPart) });
  }

  #closePart(open: OpenMessage): void {
    const part = open.parts.at(-1);
    if (!part || !this.#events) return;
    if (part.type === "refusal") this.#push("response.refusal.done", { ...contentAt(open), refusal: part.text });
    else this.#push("response.output_text.done", { ...contentAt(open), text: part.text, logprobs: [] });
    this.#push("response.content_part.done", { ...contentAt(open), part: toPart(part) });
  }

  #closeCall(index: unknown, call: OpenCall): void {
    this.#calls.set(index, undefined);
    const { kind, name } = call.tool;
    if (kind === "function") {
      this.#push("response.function_call_arguments.done", { ...itemAt(call), name, arguments: call.args });
    } else if (kind === "custom") {
      const input = inputIn(call.args);
      this.#push("response.custom_tool_call_input.delta", { ...itemAt(call), delta: input });
      this.#push("response.custom_tool_call_input.done", { ...itemAt(call), input });
    }
    this.#done(call.at, toCallItem(call, "completed", true));
  }

  #nextAt(): number {
    return this.#output.push(undefined) - 1;
  }

  #itemId(prefix: string): string {
    return `${prefix}_${this.#id}_${this.#output.length - 1}`;
  }

  #added(at: number, item: Json): void {
    this.#push("response.output_item.added", { output_index: at, item });
  }

  #done(at: number, item: Json): void {
    this.#output[at] = item;
    this.#push("response.output_item.done", { output_index: at, item });
  }

  #push(type: string, fields: Json): void {
    this.#events?.push(JSON.stringify({ type, sequence_number: this.#sequence++, ...fields }));
  }
}

function snapshotEvent(type: string, sequence: number, response: string): string {
  return `{"type":"${type}","sequence_number":${sequence},"response":${response}}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function itemAt({ at, id }: { readonly at: number; readonly id: string }): Json {
  return { item_id: id, output_index: at };
}

function summaryAt(open: OpenReasoning): Json {
  return { ...itemAt(open), summary_index: 0 };
}

function contentAt(open: OpenMessage): Json {
  return { ...itemAt(open), content_index: open.parts.length - 1 };
}

function toPart({ type, text }: MessagePart): Json {
  return type === "refusal" ? { type, refusal: text } : { type, text, annotations: [], logprobs: [] };
}

/** `isWhole`: whether the arguments are complete. */
function toCallItem({ id, callId, tool, args }: OpenCall, status: string, isWhole: boolean): Json {
  const { kind, name, namespace } = tool;
  const named = { name, ...(namespace !== undefined && { namespace }) };
  switch (kind) {
    case "function":
      return { id, type: "function_call", status, call_id: callId, ...named, arguments: isWhole ? args : "" };
    case "custom":
      return { id, type: "custom_tool_call", status, call_id: callId, ...named, input: isWhole ? inputIn(args) : "" };
    case "tool_search":
      return { id, type: "tool_search_call", status, call_id: callId, execution: "client", arguments: isWhole ? objectIn(args) : {} };
    case "local_shell":
      return {
        id,
        type: "local_shell_call",
        status,
        call_id: callId,
        action: { type: "exec", env: {}, ...objectIn(isWhole ? args : "{}") },
      };
  }
}

/** The input of a custom tool, from the arguments of its function. Some models write it without the object around it. */
export function inputIn(args: string): string {
  const { input } = objectIn(args);
  return typeof input === "string" ? input : args;
}

/** Whether the output has ended inside the arguments of a call. Clients must not run it. */
export function isCut(args: string, finishReason: unknown): boolean {
  return Object.hasOwn(INCOMPLETE, String(finishReason)) && tryParse(args) === undefined;
}

function objectIn(args: string): Json {
  try {
    const parsed: unknown = parseExact(args);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
