import { parseJson, type JsonBody } from "../../http/read-json.ts";
import { parseExact } from "../../lib/json/exact-json.ts";
import { withFields } from "../../lib/json/json-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import { refuseViolation } from "../../requests/api-error.ts";
import { fieldIn } from "../../requests/chat-request.ts";
import { NOTHING_SOLD } from "../../requests/premium-demand.ts";
import type { ChunkStream, Completion } from "../../upstreams/upstream.ts";
import { ForwardedChunks } from "../forwarded-chunks.ts";
import type { CallerFormat, ModelRequest } from "./caller-format.ts";
import { chatFormat, ReadChat } from "./chat-format.ts";
import { inputIn, isCut } from "./responses/chat-to-responses.ts";
import { functionsFor, ResponseTools } from "./responses/response-tools.ts";
import { findResponsesViolation } from "./responses/responses-request.ts";
import { ResponsesTranslation, untranslatedIn } from "./responses/responses-to-chat.ts";
import { NO_MARKS, type ResponseTranslation } from "./translation.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Chat completions where the Responses API is served, too. Cursor's agent mode sends Responses bodies to chat completions, and expects
 * chunks (https://github.com/BerriAI/litellm/issues/35554); in its other modes some tools have the form of the Responses API.
 */
export const cursorFormat: CallerFormat = {
  ...chatFormat,
  read(body, headers) {
    const { input, messages, tools } = body.outline;
    const isResponses = input !== undefined && messages === undefined;
    if (!isResponses && !(Array.isArray(tools) && tools.some(isFlat))) return chatFormat.read(body, headers);
    const ownTools = new ResponseTools();
    const chat = isResponses ? fromResponses(body, ownTools) : withNestedTools(body, ownTools);
    // Checks the body.
    const read = chatFormat.read(chat, headers);
    return customToolsIn(tools).size === 0 ? read : new CursorRequest(chat, ownTools);
  },
};

/** A request with custom tools, which become functions. */
class CursorRequest extends ReadChat implements ModelRequest {
  readonly #tools: ResponseTools;

  constructor(body: JsonBody, tools: ResponseTools) {
    super(body);
    this.#tools = tools;
  }

  override get fromChat(): ResponseTranslation {
    return new CursorCalls(this.#tools);
  }
}

function fromResponses(body: JsonBody, tools: ResponseTools): JsonBody {
  refuseViolation(findResponsesViolation(body.outline, NOTHING_SOLD));
  const value = parseExact(body.text) as Json;
  const { input } = value;
  const custom = customToolsIn(value["tools"]);
  const items = Array.isArray(input) ? input.map((item: Json) => withCustomCall(item, custom)) : input;
  // Fields of chat completions among them stay, such as limits of the output.
  const kept = [...untranslatedIn(value), "stream_options", "user", "safety_identifier", "metadata"].filter((name) => value[name] != null);
  const own = Object.fromEntries(kept.map((name) => [name, value[name]]));
  const translated = new ResponsesTranslation(tools, false, body.byteText).ofBody({ ...value, input: items });
  return parseJson(Buffer.from(JSON.stringify({ ...own, ...translated })));
}

/** The names of the custom tools of the Responses API. */
function customToolsIn(tools: unknown): ReadonlySet<unknown> {
  const list = Array.isArray(tools) ? tools.filter(isFlat) : [];
  return new Set(list.filter(({ type }) => type === "custom").map(({ name }) => name));
}

/** A call of a custom tool, which Cursor sends back as a call of a function with plain text as its arguments. */
function withCustomCall(item: Json, custom: ReadonlySet<unknown>): Json {
  const { type, name, arguments: args, ...call } = item;
  const input = inputOf(args);
  if (type !== "function_call" || input === undefined || !custom.has(name)) return item;
  return { ...call, type: "custom_tool_call", name, input };
}

/** The plain text of a call in the history, also if it is in the object that a function would have. */
function inputOf(args: unknown): string | undefined {
  if (typeof args === "string") return inputIn(args);
  return isObject(args) ? inputIn(JSON.stringify(args)) : undefined;
}

function isFlat(tool: unknown): tool is Json {
  if (!isObject(tool) || typeof tool["name"] !== "string") return false;
  return (tool["type"] === "function" && tool["function"] === undefined) || (tool["type"] === "custom" && tool["custom"] === undefined);
}

/** The body is checked later: what is not valid stays as it is. */
function withNestedTools(body: JsonBody, tools: ResponseTools): JsonBody {
  const offered = fieldIn(body, "tools", parseExact) as readonly Json[];
  const custom = customToolsIn(offered);
  const changes: Record<string, unknown> = { tools: offered.map((tool) => (isFlat(tool) ? toNested(tool, tools) : tool)) };
  const { messages, tool_choice: choice } = body.outline;
  if (custom.size > 0 && Array.isArray(messages)) {
    const exact = fieldIn(body, "messages", parseExact) as readonly unknown[];
    changes["messages"] = exact.map((message) => (isObject(message) ? withWrappedCalls(message, custom, tools) : message));
  }
  if (isFlat(choice)) changes["tool_choice"] = { type: "function", function: { name: functionNameOf(choice, tools) } };
  const written = Object.entries(changes).map(([name, value]) => [name, toByteText(JSON.stringify(value))] as const);
  return parseJson(Buffer.from(withFields(body.byteText, body.fields, Object.fromEntries(written)).join(""), "latin1"));
}

function functionNameOf({ type, name }: Json, tools: ResponseTools): unknown {
  return type === "custom" ? tools.nameOf({ kind: "custom", name: String(name), namespace: undefined }) : name;
}

function toNested(tool: Json, tools: ResponseTools): Json {
  const { type, ...fields } = tool;
  if (type === "function") return { type, function: fields };
  return functionsFor({ tools: [tool] }, tools, NO_MARKS)[0]!;
}

/** Calls of custom tools in a message, with the arguments of the functions that stand for them. */
function withWrappedCalls(message: Json, custom: ReadonlySet<unknown>, tools: ResponseTools): Json {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  const wrapped = calls.map((call: unknown) => {
    const called = isObject(call) ? call["function"] : undefined;
    if (!isObject(called) || !custom.has(called["name"])) return call;
    const input = inputOf(called["arguments"]);
    if (input === undefined) return call;
    const name = functionNameOf({ type: "custom", name: called["name"] }, tools);
    return { ...(call as Json), function: { ...called, name, arguments: JSON.stringify({ input }) } };
  });
  return { ...message, tool_calls: wrapped };
}

/** Cursor expects the call of a custom tool as the call of a function whose arguments are plain text. */
class CursorCalls implements ResponseTranslation {
  readonly #tools: ResponseTools;

  constructor(tools: ResponseTools) {
    this.#tools = tools;
  }

  completion(completion: Completion): Completion {
    const body = JSON.parse(completion.body) as { readonly choices: readonly Json[] };
    const choices = body.choices.map((choice) => {
      const message = isObject(choice["message"]) ? choice["message"] : {};
      const calls = message["tool_calls"];
      return Array.isArray(calls)
        ? { ...choice, message: { ...message, tool_calls: calls.map((call: Json) => this.#unwrapped(call, choice["finish_reason"])) } }
        : choice;
    });
    return { ...completion, body: JSON.stringify({ ...body, choices }) };
  }

  stream(chunks: ChunkStream): ChunkStream {
    return new CursorChunks(chunks, this.#tools);
  }

  #unwrapped(call: Json, finishReason: unknown): Json {
    const called = isObject(call["function"]) ? call["function"] : {};
    const { kind, name } = this.#tools.find(String(called["name"]));
    return kind === "custom"
      ? { ...call, function: { ...called, name, arguments: textOf(String(called["arguments"]), finishReason) } }
      : call;
  }
}

/** The plain text of a call; empty if the output has ended inside it. */
function textOf(args: string, finishReason: unknown): string {
  return isCut(args, finishReason) ? "" : inputIn(args);
}

/** The arguments of a custom tool's call so far: they are JSON around the text, and the text is known once they are complete. */
interface CustomCall {
  readonly choice: unknown;
  readonly index: unknown;
  args: string;
}

class CursorChunks extends ForwardedChunks {
  readonly #tools: ResponseTools;
  #open: CustomCall[] = [];

  constructor(chunks: ChunkStream, tools: ResponseTools) {
    super(chunks);
    this.#tools = tools;
  }

  override take(chunks: readonly string[]): void {
    super.take(chunks.flatMap((chunk) => this.#translate(chunk)));
  }

  override stop(): readonly string[] {
    return super.stop().flatMap((chunk) => this.#translate(chunk));
  }

  /** The texts of the calls follow what opens them, and precede the finish reason. */
  #translate(chunk: string): string[] {
    const parsed = JSON.parse(chunk) as Json;
    const choices = (parsed["choices"] as readonly Json[] | undefined) ?? [];
    const held = choices.map((choice) => this.#withoutCustomArguments(choice));
    const ended = new Map(choices.flatMap(({ index, finish_reason: reason }) => (reason == null ? [] : [[index, reason]])));
    const closed = this.#open.filter(({ choice }) => ended.has(choice));
    if (closed.length === 0)
      return [held.every((choice, at) => choice === choices[at]) ? chunk : JSON.stringify({ ...parsed, choices: held })];
    this.#open = this.#open.filter(({ choice }) => !ended.has(choice));
    const texts = closed.map(({ choice, index, args }) => {
      const delta = { tool_calls: [{ index, function: { arguments: textOf(args, ended.get(choice)) } }] };
      return { index: choice, delta, finish_reason: null };
    });
    const opened = held.map((choice) => ({ ...choice, finish_reason: null }));
    const last = held.map((choice) => ({ ...choice, delta: {} }));
    return [opened, ...texts.map((text) => [text]), last].map((each) => JSON.stringify({ ...parsed, choices: each }));
  }

  #withoutCustomArguments(choice: Json): Json {
    const delta = isObject(choice["delta"]) ? choice["delta"] : {};
    const calls = delta["tool_calls"];
    if (!Array.isArray(calls)) return choice;
    return { ...choice, delta: { ...delta, tool_calls: calls.map((call: Json) => this.#held(call, choice["index"])) } };
  }

  #held(call: Json, choice: unknown): Json {
    const { index } = call;
    const called = isObject(call["function"]) ? call["function"] : {};
    const { name, arguments: args } = called;
    const tool = typeof name === "string" ? this.#tools.find(name) : undefined;
    let open = this.#open.find((each) => each.choice === choice && each.index === index);
    if (!open && tool?.kind === "custom") this.#open.push((open = { choice, index, args: "" }));
    if (!open) return call;
    if (typeof args === "string") open.args += args;
    return { ...call, function: { ...called, ...(tool && { name: tool.name }), arguments: "" } };
  }
}
