import { isObject, type Path } from "../../../lib/schema/schema.ts";
import { formatPath } from "../../../lib/schema/schema.ts";
import { isBlank, isOmitted } from "../../../lib/json/omitted-text.ts";
import type { ByteText } from "../../../lib/text/byte-text.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { missingField, NO_MARKS, type OriginMarks, plainText, untranslatable, type BodyTranslation } from "../translation.ts";
import { chosenFunctions, functionsFor, ResponseTools, type ResponseTool } from "./response-tools.ts";

type Json = Readonly<Record<string, unknown>>;

/** Fields of a Responses request that are translated, or say nothing about the response. */
const TRANSLATED: ReadonlySet<string> = new Set([
  "model",
  "input",
  "instructions",
  "stream",
  "max_output_tokens",
  "temperature",
  "top_p",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning",
  "text",
  "prompt_cache_key",
  // About the caller, or about how the response is stored or sent.
  "store",
  "background",
  "metadata",
  "client_metadata",
  "user",
  "safety_identifier",
  "service_tier",
  "include",
  "stream_options",
  "truncation",
]);

/** The fields that have no counterpart in the chat-completions format, and that a response does without. */
export function untranslatedIn(body: Json): readonly string[] {
  return Object.keys(body).filter((name) => body[name] != null && !TRANSLATED.has(name));
}

/** Translates Responses requests. */
export class ResponsesTranslation implements BodyTranslation {
  readonly #keepsBreakpoints: boolean;
  readonly #tools: ResponseTools;
  readonly #origins: OriginMarks;
  readonly #source: ByteText;
  #lacksIds = false;

  /** `keepsBreakpoints`: the dialect knows prompt-cache breakpoints. `source`: the body, which has the strings that its outline omits. */
  constructor(tools: ResponseTools, keepsBreakpoints: boolean, source: ByteText, origins = NO_MARKS) {
    this.#tools = tools;
    this.#keepsBreakpoints = keepsBreakpoints;
    this.#source = source;
    this.#origins = origins;
  }

  get lacksNames(): boolean {
    return this.#lacksIds || this.#tools.lacksNames;
  }

  ofBody(body: Json): Json {
    const { model, input, instructions, stream, max_output_tokens: maxTokens, temperature, top_p: topP, prompt_cache_key: cacheKey } = body;
    // The names of offered tools are taken first, whatever the conversation has called.
    const functions = functionsFor(body, this.#tools, this.#origins);
    const conversation = new Conversation(this.#tools, this.#keepsBreakpoints, this.#source, this.#origins);
    if (typeof instructions === "string" && instructions !== "")
      conversation.push({ role: "system", content: instructions }, ["instructions"]);
    if (typeof input === "string") conversation.push({ role: "user", content: input }, ["input"]);
    else conversation.addAll(input as readonly Json[]);
    this.#lacksIds = conversation.lacksIds;
    return {
      model,
      messages: conversation.end(),
      ...(stream === true && { stream }),
      ...(maxTokens != null && { max_tokens: maxTokens }),
      ...(temperature != null && { temperature }),
      ...(topP != null && { top_p: topP }),
      ...(cacheKey != null && { prompt_cache_key: cacheKey }),
      ...chosenFunctions(body, functions, this.#tools),
      ...toReasoningFields(body["reasoning"]),
      ...toTextFields(body["text"]),
    };
  }
}

function toReasoningFields(reasoning: unknown): Json {
  const effort = isObject(reasoning) ? reasoning["effort"] : undefined;
  return typeof effort === "string" ? { reasoning_effort: effort } : {};
}

function toTextFields(text: unknown): Json {
  const { format, verbosity } = isObject(text) ? text : {};
  return { ...(typeof verbosity === "string" && { verbosity }), ...(isObject(format) && toResponseFormat(format)) };
}

function toResponseFormat({ type, name, description, schema, strict }: Json): Json {
  if (type === "text") return {};
  if (type !== "json_schema") return { response_format: { type } };
  const described = { name, ...(description != null && { description }), schema, ...(strict != null && { strict }) };
  return { response_format: { type, json_schema: described } };
}

/** A call in the conversation, and its result. */
interface Call {
  readonly id: string;
  readonly function: Json;
  readonly path: Path;
}

interface Result {
  readonly item: Json;
  readonly path: Path;
}

/** Items whose content another provider cannot read, or that a provider's own tool has made: the text after them says what was found. */
const DROPPED_ITEMS =
  /^(?:reasoning|additional_tools|\w*web_search_call|file_search_call|code_interpreter_call|image_generation_call|mcp_\w+)$/;

const MAX_BREAKPOINTS = 4;

/** Builds the messages of a conversation from its items. */
class Conversation {
  readonly #tools: ResponseTools;
  readonly #keepsBreakpoints: boolean;
  readonly #origins: OriginMarks;
  readonly #source: ByteText;
  /** Whether a call or a result has an ID that an outline lacks. */
  lacksIds = false;
  readonly #messages: Json[] = [];
  readonly #results = new Map<string, Result>();
  readonly #called = new Set<string>();
  /** Parts with a breakpoint. */
  readonly #marked: Record<string, unknown>[] = [];
  /** The assistant's open turn. */
  #text: string | undefined;
  #calls: Call[] = [];

  constructor(tools: ResponseTools, keepsBreakpoints: boolean, source: ByteText, origins: OriginMarks) {
    this.#tools = tools;
    this.#keepsBreakpoints = keepsBreakpoints;
    this.#source = source;
    this.#origins = origins;
  }

  /** `path`: where the client has written the message. */
  push(message: Json, path: Path): void {
    this.#endTurn();
    this.#messages.push(this.#origins.mark(message, path));
  }

  addAll(items: readonly Json[]): void {
    for (const [at, item] of items.entries())
      if (isResult(item)) this.#results.set(this.#idOf(item, ["input", at]), { item, path: ["input", at] });
    for (const [at, item] of items.entries()) this.#add(item, ["input", at]);
    // In an outline, equal long IDs differ.
    for (const [id, { path }] of this.#results) {
      if (!this.#called.has(id) && !isOmitted(id)) throw withoutCall([...path, "call_id"]);
    }
  }

  end(): Json[] {
    this.#endTurn();
    this.#dropEarlyBreakpoints();
    return this.#messages;
  }

  /** APIs with breakpoints allow four. The last ones cover most of the conversation. */
  #dropEarlyBreakpoints(): void {
    for (const part of this.#marked.slice(0, -MAX_BREAKPOINTS)) delete part["cache_control"];
  }

  #add(item: Json, path: Path): void {
    const { type, role, name, namespace } = item;
    if (isResult(item)) return this.#endTurn();
    switch (type ?? "message") {
      case "message":
        return role === "assistant" ? this.#addText(item, path) : this.#addMessage(item, path);
      case "agent_message":
        return this.#addMessage({ ...item, role: "user" }, path);
      case "function_call":
        return this.#call(item, { kind: "function", name: String(name), namespace: textOf(namespace) }, this.#argumentsOf(item), path);
      case "custom_tool_call": {
        const args = JSON.stringify({ input: textOf(item["input"]) ?? "" });
        return this.#call(item, { kind: "custom", name: String(name), namespace: textOf(namespace) }, args, path);
      }
      case "tool_search_call":
        return this.#call(item, { kind: "tool_search", name: "tool_search", namespace: undefined }, this.#argumentsOf(item), path);
      case "local_shell_call": {
        const args = JSON.stringify(item["action"] ?? {});
        return this.#call(item, { kind: "local_shell", name: "local_shell", namespace: undefined }, args, path);
      }
      default:
        if (!DROPPED_ITEMS.test(String(type))) throw untranslatable(path, type);
    }
  }

  /** Text after a call begins another turn. */
  #addText({ content }: Json, path: Path): void {
    if (this.#calls.length > 0) this.#endTurn();
    this.#text = (this.#text ?? "") + (typeof content === "string" ? content : this.#joinedText(content, path));
  }

  #joinedText(content: unknown, path: Path): string {
    const parts = this.#partsOf(content, [...path, "content"]);
    return parts.map((part) => (part["type"] === "text" ? (part["text"] as string) : "")).join("");
  }

  #addMessage({ role, content, author, recipient }: Json, path: Path): void {
    // Few servers know the role `developer`, and those that do read `system` alike.
    const as = role === "developer" ? "system" : role;
    if (typeof content === "string" && content !== "" && author === undefined) return this.push({ role: as, content }, path);
    const parts = this.#partsOf(content, [...path, "content"]);
    if (typeof author === "string") parts.unshift({ type: "text", text: `Message from ${author} to ${String(recipient)}:` });
    if (parts.length === 0) return;
    this.push({ role: as, content: plainText(parts) ?? parts }, path);
  }

  #call(item: Json, tool: ResponseTool, args: string, path: Path): void {
    const id = this.#idOf(item, path);
    // Two calls with one ID would have one result, which APIs reject.
    if (this.#called.has(id)) return;
    this.#called.add(id);
    this.#calls.push({ id, function: { name: this.#tools.nameOf(tool), arguments: args }, path });
  }

  #idOf(item: Json, path: Path): string {
    const id = callIdOf(item, path);
    if (isOmitted(id)) this.lacksIds = true;
    return id;
  }

  /** APIs require an object. */
  #argumentsOf({ arguments: args }: Json): string {
    if (typeof args === "string") return isBlank(args, this.#source) ? "{}" : args;
    return JSON.stringify(args ?? {});
  }

  /** Results follow their calls directly, in the order of the calls. Media in them follow as a message of the user. */
  #endTurn(): void {
    const [text, calls] = [this.#text, this.#calls];
    if (text === undefined && calls.length === 0) return;
    this.#text = undefined;
    this.#calls = [];
    const content = text === undefined || (text === "" && calls.length > 0) ? null : text;
    const toolCalls = calls.map(({ id, function: called, path }) => this.#origins.mark({ id, type: "function", function: called }, path));
    this.#messages.push({ role: "assistant", content, ...(calls.length > 0 && { tool_calls: toolCalls }) });
    const media: Json[] = [];
    for (const { id, path } of calls) {
      const message = { role: "tool", tool_call_id: id, content: this.#resultOf(id, media) };
      this.#messages.push(this.#origins.mark(message, this.#results.get(id)?.path ?? path));
    }
    if (media.length > 0) this.#messages.push({ role: "user", content: media });
  }

  #resultOf(id: string, media: Json[]): string {
    const result = this.#results.get(id);
    if (!result) return "The tool call was not completed.";
    const { item, path } = result;
    if (item["type"] === "tool_search_output") return describeTools(item["tools"], this.#tools, this.#origins);
    const { output } = item;
    if (!Array.isArray(output)) return typeof output === "string" ? output : JSON.stringify(output ?? "");
    const parts = this.#partsOf(output, [...path, "output"]);
    const others = parts.filter(({ type }) => type !== "text");
    if (others.length > 0) media.push({ type: "text", text: `Returned by the tool call ${id}:` }, ...others);
    return parts.flatMap((part) => (part["type"] === "text" ? [part["text"] as string] : [])).join("\n");
  }

  #partsOf(content: unknown, path: Path): Json[] {
    if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
    if (!Array.isArray(content)) return [];
    return (content as readonly Json[]).flatMap((part, at) => {
      const place = [...path, at];
      const translated = partOf(part, place);
      if (!translated) return [];
      if (!this.#keepsBreakpoints || part["prompt_cache_breakpoint"] == null) return [this.#origins.mark(translated, place)];
      const marked = this.#origins.mark({ ...translated, cache_control: { type: "ephemeral" } }, place);
      this.#marked.push(marked);
      return [marked];
    });
  }
}

/** Undefined for empty text, which some APIs reject. */
function partOf(part: Json, path: Path): Json | undefined {
  const { type, text, refusal, image_url: image, detail, file_data: data, file_url: url, filename, input_audio: audio } = part;
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
      return typeof text === "string" && text !== "" ? { type: "text", text } : undefined;
    case "refusal":
      return typeof refusal === "string" && refusal !== "" ? { type: "text", text: refusal } : undefined;
    case "input_image": {
      const address = isObject(image) ? image["url"] : image;
      if (typeof address !== "string") throw missingField([...path, "image_url"]);
      return { type: "image_url", image_url: { url: address, ...(typeof detail === "string" && detail !== "auto" && { detail }) } };
    }
    case "input_file": {
      const content = data ?? url;
      if (typeof content !== "string") throw missingField([...path, "file_data"]);
      return { type: "file", file: { filename: textOf(filename) ?? "document", file_data: content } };
    }
    case "input_audio":
      return { type: "input_audio", input_audio: audio };
    // Only the provider that has encrypted it can read it.
    case "encrypted_content":
      return undefined;
    default:
      throw untranslatable(path, type);
  }
}

function isResult({ type }: Json): boolean {
  return typeof type === "string" && RESULTS.has(type);
}

const RESULTS: ReadonlySet<string> = new Set([
  "function_call_output",
  "custom_tool_call_output",
  "tool_search_output",
  "local_shell_call_output",
]);

/** The results of the local shell have the ID of the call in `id`. */
function callIdOf(item: Json, path: Path): string {
  const id = item["call_id"] ?? (item["type"] === "local_shell_call_output" ? item["id"] : undefined);
  if (typeof id !== "string" || id === "") throw missingField([...path, "call_id"]);
  return id;
}

function describeTools(loaded: unknown, tools: ResponseTools, origins: OriginMarks): string {
  const names = functionsFor({ tools: loaded }, tools, origins).map((each) => String((each["function"] as Json)["name"]));
  return names.length === 0 ? "No tool was found." : `These tools are available now: ${names.join(", ")}.`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function withoutCall(path: Path): ApiError {
  const param = formatPath(path);
  return new ApiError("invalid_value", `${param} names a call that is not in the input.`, { param });
}
