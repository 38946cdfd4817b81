import { beginsWith, isOmitted } from "../../../lib/json/omitted-text.ts";
import type { ByteText } from "../../../lib/text/byte-text.ts";
import { isObject, type Path } from "../../../lib/schema/schema.ts";
import { refuseRegion } from "../../../requests/messages-api.ts";
import { missingField, NO_MARKS, type OriginMarks, plainText, untranslatable, type BodyTranslation } from "../translation.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * The beginning of Claude Code's first system block. It is for Anthropic, which strips it; in other prompts it would differ from request to
 * request.
 */
const ATTRIBUTION = "x-anthropic-billing-header:";

/** Fields of a Messages request that are translated. */
const TRANSLATED: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "system",
  "stream",
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "tools",
  "tool_choice",
  "output_config",
  "output_format",
  // About the caller and not the response.
  "metadata",
  "service_tier",
]);

/** The fields that have no counterpart in the chat-completions format, and that a response does without. */
export function untranslatedIn(body: Json): readonly string[] {
  return Object.keys(body).filter((name) => body[name] != null && !TRANSLATED.has(name));
}

/** Translates Messages requests. */
export class MessagesTranslation implements BodyTranslation {
  readonly #keepsBreakpoints: boolean;
  readonly #origins: OriginMarks;
  readonly #source: ByteText;
  lacksNames = false;

  /** `keepsBreakpoints`: the dialect knows prompt-cache breakpoints. `source`: the body, which has the strings that its outline omits. */
  constructor(keepsBreakpoints: boolean, source: ByteText, origins = NO_MARKS) {
    this.#keepsBreakpoints = keepsBreakpoints;
    this.#source = source;
    this.#origins = origins;
  }

  ofBody(body: Json): Json {
    refuseRegion(body["inference_geo"]);
    const { model, stream, max_tokens: maxTokens, temperature, top_p: topP, top_k: topK, stop_sequences: stop } = body;
    const messages = this.#system(body["system"], ["system"]);
    for (const [at, message] of (body["messages"] as readonly Json[]).entries()) this.#addMessage(message, at, messages);
    return {
      model,
      messages,
      ...(stream === true && { stream }),
      max_tokens: maxTokens,
      ...(temperature != null && { temperature }),
      ...(topP != null && { top_p: topP }),
      ...(topK != null && { top_k: topK }),
      ...(Array.isArray(stop) && stop.length > 0 && { stop }),
      ...this.#tools(body),
      ...toOutputFields(body["output_config"], body["output_format"]),
    };
  }

  /** The same breakpoint on the translated part, tool or message. */
  #breakpointOf({ cache_control: breakpoint }: Json): Json {
    return this.#keepsBreakpoints && breakpoint != null ? { cache_control: breakpoint } : {};
  }

  /** Several blocks stay several: prompt caches compare prefixes. */
  #system(system: unknown, path: Path): Json[] {
    const blocks = (Array.isArray(system) ? system : [{ type: "text", text: system }]) as readonly Json[];
    const parts = blocks.flatMap((block) => {
      const { text } = block;
      if (typeof text !== "string" || text === "" || beginsWith(text, ATTRIBUTION, this.#source)) return [];
      return [{ type: "text", text, ...this.#breakpointOf(block) }];
    });
    return parts.length === 0 ? [] : [this.#origins.mark({ role: "system", content: plainText(parts) ?? parts }, path)];
  }

  #addMessage({ role, content }: Json, at: number, messages: Json[]): void {
    const path = ["messages", at, "content"];
    if (typeof content === "string") messages.push(this.#origins.mark({ role, content }, path));
    if (!Array.isArray(content)) return;
    const blocks = content as readonly Json[];
    if (role === "assistant") messages.push(...this.#fromAssistant(blocks, path));
    else messages.push(...(role === "system" ? this.#system(blocks, path) : this.#fromUser(blocks, path)));
  }

  /** Tool results come first: chat completions require them directly after their calls. */
  #fromUser(blocks: readonly Json[], path: Path): Json[] {
    const results: Json[] = [];
    const parts: Json[] = [];
    for (const [at, block] of blocks.entries()) {
      if (block["type"] === "tool_result") results.push(this.#toolMessage(block, [...path, at], parts));
      else parts.push(...this.#parts(block, [...path, at]));
    }
    if (parts.length === 0) return results;
    return [...results, this.#origins.mark({ role: "user", content: plainText(parts) ?? parts }, path)];
  }

  /** Results are text. Images in them follow as a message of the user, with the id of the call. */
  #toolMessage(block: Json, path: Path, parts: Json[]): Json {
    const { tool_use_id: id, content, is_error: isError } = block;
    if (typeof id !== "string") throw missingField([...path, "tool_use_id"]);
    const inner = (Array.isArray(content) ? content : [{ type: "text", text: content ?? "" }]) as readonly Json[];
    const found = inner.flatMap((each, at) => this.#parts(each, [...path, "content", at]));
    const text = found.flatMap((part) => (part["type"] === "text" ? [part["text"] as string] : [])).join("\n");
    const media = found.filter(({ type }) => type !== "text");
    if (media.length > 0) parts.push({ type: "text", text: `Returned by the tool call ${id}:` }, ...media);
    // Chat completions have no flag for a failed tool.
    const result = isError === true ? `The tool call failed.\n${text}` : text;
    return this.#origins.mark({ role: "tool", tool_call_id: id, content: result, ...this.#breakpointOf(block) }, path);
  }

  #parts(block: Json, path: Path): Json[] {
    const breakpoint = this.#breakpointOf(block);
    const parts = partsOf(block, path).map((part, at, all) => (at === all.length - 1 ? { ...part, ...breakpoint } : part));
    return parts.map((part) => this.#origins.mark(part, path));
  }

  /**
   * Thinking is not sent to another provider, which cannot read its signatures. Calls of tools that ran at a provider are dropped with
   * their results: the text after them says what was found.
   */
  #fromAssistant(blocks: readonly Json[], path: Path): Json[] {
    const texts: string[] = [];
    const calls: Json[] = [];
    for (const [at, block] of blocks.entries()) {
      const { type, text } = block;
      if (type === "text" && typeof text === "string") texts.push(text);
      else if (type === "tool_use") calls.push(this.#origins.mark(toToolCall(block, [...path, at]), [...path, at]));
      else if (!DROPPED_BLOCKS.test(String(type))) throw untranslatable([...path, at], type);
    }
    if (texts.length + calls.length === 0) return [];
    const breakpoint = this.#breakpointOf(blocks.findLast((block) => block["cache_control"] != null) ?? {});
    const content = texts.join("");
    const said = content === "" && calls.length > 0 ? null : content;
    const message = { role: "assistant", content: said, ...(calls.length > 0 && { tool_calls: calls }), ...breakpoint };
    return [this.#origins.mark(message, path)];
  }

  /** Tools with a type, such as Anthropic's bash tool, have schemas that only Claude models know. */
  #tools(body: Json): Json {
    const tools = this.#offeredTools(body);
    if (tools.length === 0) return {};
    const functions = tools.map(({ tool, path }) => {
      const { type, name, description, input_schema: parameters } = tool;
      if (type != null && type !== "custom") throw untranslatable(path, type);
      const called = { name, ...(description != null && { description }), parameters: parameters ?? EMPTY_SCHEMA };
      return this.#origins.mark({ type: "function", function: called, ...this.#breakpointOf(tool) }, path);
    });
    const { tool_choice: choice } = body;
    const { disable_parallel_tool_use: isSerial } = isObject(choice) ? choice : {};
    return {
      tools: functions,
      ...(isObject(choice) && { tool_choice: toChatChoice(choice) }),
      ...(isSerial === true && { parallel_tool_calls: false }),
    };
  }

  /** The tools at the end of the conversation: system messages may add and remove some. */
  #offeredTools({ tools, messages }: Json): OfferedTool[] {
    const declared = Array.isArray(tools) ? tools.map((tool: Json, at): OfferedTool => ({ tool, path: ["tools", at] })) : [];
    const known = new Map(declared.map((each) => [this.#compared(each.tool["name"]), each]));
    const offered = new Map(known);
    for (const [at, { role, content }] of (messages as readonly Json[]).entries()) {
      if (role !== "system" || !Array.isArray(content)) continue;
      for (const [block, { type, tool }] of (content as readonly Json[]).entries()) {
        const { definition, name } = isObject(tool) ? tool : {};
        if (type === "tool_removal") offered.delete(this.#compared(name));
        if (type !== "tool_addition") continue;
        if (isObject(definition)) {
          const path = ["messages", at, "content", block, "tool", "definition"];
          known.set(this.#compared(definition["name"]), { tool: definition, path });
        }
        const added = known.get(this.#compared(isObject(definition) ? definition["name"] : name));
        if (added) offered.set(added.tool["name"], added);
      }
    }
    return [...offered.values()];
  }

  #compared(name: unknown): unknown {
    if (isOmitted(name)) this.lacksNames = true;
    return name;
  }
}

function partsOf(block: Json, path: Path): Json[] {
  const { type, text, source, title } = block;
  switch (type) {
    case "text":
      return typeof text === "string" && text !== "" ? [{ type: "text", text }] : [];
    case "image":
      return [{ type: "image_url", image_url: { url: urlOf(source, [...path, "source"]) } }];
    case "document":
      return [documentPart(source, title, [...path, "source"])];
    case "search_result":
      return searchResultParts(block);
    case "tool_reference":
      return [{ type: "text", text: `The tool ${String(block["tool_name"])} is available.` }];
    default:
      throw untranslatable(path, type);
  }
}

function documentPart(source: unknown, title: unknown, path: Path): Json {
  const name = typeof title === "string" && title !== "" ? title : "document";
  if (isObject(source) && source["type"] === "text") return { type: "text", text: `${name}:\n${String(source["data"])}` };
  return { type: "file", file: { filename: name, file_data: urlOf(source, path) } };
}

/** The texts of a search result, after its title and address. */
function searchResultParts({ title, source, content }: Json): Json[] {
  const texts = Array.isArray(content) ? content.flatMap((each: Json) => (typeof each["text"] === "string" ? [each["text"]] : [])) : [];
  return [{ type: "text", text: [title, source, ...texts].filter((each) => typeof each === "string").join("\n") }];
}

function urlOf(source: unknown, path: Path): string {
  const { type, url, media_type: mediaType, data } = isObject(source) ? source : {};
  if (type === "url" && typeof url === "string") return url;
  if (type === "base64" && typeof mediaType === "string" && typeof data === "string") return `data:${mediaType};base64,${data}`;
  throw untranslatable(path, type);
}

const DROPPED_BLOCKS = /^(?:thinking|redacted_thinking|server_tool_use|mcp_tool_use|mcp_tool_result|\w+_tool_result|compaction)$/;

function toToolCall({ id, name, input }: Json, path: Path): Json {
  if (typeof id !== "string") throw missingField([...path, "id"]);
  if (typeof name !== "string") throw missingField([...path, "name"]);
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

interface OfferedTool {
  readonly tool: Json;
  readonly path: Path;
}

const EMPTY_SCHEMA = { type: "object", properties: {} };

function toChatChoice({ type, name }: Json): unknown {
  if (type === "any") return "required";
  return type === "tool" ? { type: "function", function: { name } } : type;
}

/** `max` is an effort that only Claude models have. */
function toOutputFields(config: unknown, oldFormat: unknown): Json {
  const { effort, format = oldFormat } = isObject(config) ? config : {};
  const schema = isObject(format) && format["type"] === "json_schema" ? format["schema"] : undefined;
  return {
    ...(typeof effort === "string" && { reasoning_effort: effort === "max" ? "xhigh" : effort }),
    ...(schema !== undefined && { response_format: { type: "json_schema", json_schema: { name: "response", schema, strict: true } } }),
  };
}
