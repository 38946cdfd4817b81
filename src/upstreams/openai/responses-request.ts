import { isObject, type Path } from "../../lib/schema/schema.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { MIN_OUTPUT_TOKENS } from "../../models/parameters/responses-parameters.ts";
import { mappedBody } from "../../requests/map-parameters.ts";
import { callIdIn, chosenTool, toolUsesIn, type FunctionIds } from "../tool-calls.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import type { UpstreamCall } from "../upstream.ts";
import { reasoningIn } from "./responses-response.ts";

type Json = Readonly<Record<string, unknown>>;

/** Parameters with the same name and meaning in both formats. */
const SHARED = ["temperature", "top_p", "prompt_cache_key", "prompt_cache_retention", "user", "safety_identifier"];

/** Models that reject a request for their encrypted reasoning, because they have none. */
const WITHOUT_REASONING = /^(?:ft:)?(?:gpt-[34]|chatgpt-)|-chat\b/;

/** Translates a chat request into a Responses request. Nothing is stored, so reasoning is returned encrypted. */
export function toResponsesBody(call: UpstreamCall): Json {
  const { chat, upstreamModel, credential, maxTokens } = call;
  const body = mappedBody(chat.body, call.parameterMapping);
  const limit = maxTokens ?? body["max_completion_tokens"] ?? body["max_tokens"];
  const tooling = toTooling(body);
  // It is sent back with the results of tools only.
  const isReasoningKept = tooling.tools !== undefined && !WITHOUT_REASONING.test(upstreamModel);
  return {
    model: upstreamModel,
    input: toItems(chat.messages, credential),
    store: false,
    ...(isReasoningKept && { include: ["reasoning.encrypted_content"] }),
    ...(typeof limit === "number" && { max_output_tokens: Math.max(limit, MIN_OUTPUT_TOKENS) }),
    ...Object.fromEntries(SHARED.filter((name) => name in body).map((name) => [name, body[name]])),
    ...tooling,
    ...toReasoning(body),
    ...toText(body),
    ...(chat.stream && { stream: true }),
  };
}

/** The limits of the API on IDs and names. */
const LIMITS = { idChars: 64, nameChars: 128 };

/** Translates messages into items, each in its place. */
function toItems(messages: readonly Json[], credential: Secret | undefined): Json[] {
  const functionIds: FunctionIds = new Map();
  return messages.flatMap((message, at) => itemsOf(message, ["messages", at], functionIds, credential));
}

function itemsOf(message: Json, path: Path, functionIds: FunctionIds, credential: Secret | undefined): Json[] {
  const { role, content } = message;
  const place = [...path, "content"];
  switch (role) {
    case "assistant":
      return assistantItems(message, path, functionIds, credential);
    case "tool":
    case "function":
      return [
        { type: "function_call_output", call_id: callIdIn(message, path, functionIds, LIMITS), output: toToolOutput(content, place) },
      ];
    default:
      return [{ role, content: Array.isArray(content) ? toParts(content, place, role === "user") : content }];
  }
}

/** Reasoning precedes what it has led to: the text and the first call of a turn, or a later call. */
function assistantItems(message: Json, path: Path, functionIds: FunctionIds, credential: Secret | undefined): Json[] {
  const { content, refusal, audio } = message;
  const said = [...saidParts(content, [...path, "content"]), ...(isText(refusal) ? [{ type: "refusal", refusal }] : [])];
  const calls = toolUsesIn(message, path, functionIds, LIMITS).map(({ id, name, args, extra }) => ({
    reasoning: reasoningIn(extra, credential),
    call: { type: "function_call", call_id: id, name, arguments: typeof args === "string" ? args : "" },
  }));
  if (said.length + calls.length === 0 && audio != null) throw unsupportedParameter([...path, "audio"], "is not supported by this model");
  const [first, ...others] = calls;
  return [
    ...(first?.reasoning ?? []),
    ...(said.length > 0 ? [{ role: "assistant", content: said }] : []),
    ...(first ? [first.call] : []),
    ...others.flatMap(({ reasoning, call }) => [...reasoning, call]),
  ];
}

/** What the assistant has said: text and refusals. */
function saidParts(content: unknown, path: Path): Json[] {
  if (isText(content)) return [{ type: "output_text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((part: Json, at) => {
    const { type, text, refusal } = part;
    if (type === "text") return { type: "output_text", text: text ?? "" };
    if (type === "refusal") return { type, refusal: refusal ?? "" };
    throw refusedPart(part, [...path, at]);
  });
}

/** Text in parts becomes one text. Other parts stay parts. */
function toToolOutput(content: unknown, path: Path): unknown {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  const parts = toParts(content, path, true);
  return parts.every(({ type }) => type === "input_text") ? parts.map(({ text }) => text).join("") : parts;
}

function toParts(content: readonly Json[], path: Path, mayHoldMedia: boolean): Json[] {
  return content.map((part, at) => toPart(part, [...path, at], mayHoldMedia));
}

function toPart(part: Json, path: Path, mayHoldMedia: boolean): Json {
  const { type, text, refusal, image_url: image, file } = part;
  if (type === "text") return { type: "input_text", text: text ?? "" };
  if (type === "refusal") return { type: "input_text", text: refusal ?? "" };
  if (type === "image_url" && mayHoldMedia) return toImage(image, [...path, "image_url"]);
  if (type === "file" && mayHoldMedia && isObject(file)) return toFile(file, [...path, "file"]);
  throw refusedPart(part, path);
}

function toImage(image: unknown, path: Path): Json {
  const { url, detail } = isObject(image) ? image : { url: image };
  if (!isText(url)) throw wrongValue(isObject(image) ? [...path, "url"] : path, "must be an address");
  return { type: "input_image", image_url: url, ...(isText(detail) && { detail }) };
}

/** File IDs are rejected: uploaded files belong to the operator's account, and all callers would share them. */
function toFile({ file_id: id, file_data: data, filename }: Json, path: Path): Json {
  if (isText(id)) throw unsupportedParameter([...path, "file_id"], "is not supported by this model: send file_data");
  if (!isText(data)) throw wrongValue(path, "needs file_data");
  if (/^https:\/\//i.test(data)) return { type: "input_file", file_url: data };
  return { type: "input_file", filename: isText(filename) ? filename : "document", file_data: data };
}

function refusedPart({ type }: Json, path: Path): Error {
  return unsupportedParameter(path, `is of type ${String(type).slice(0, 40)}, which this model does not take here`);
}

interface Tool extends Json {
  readonly name: string;
}

/** The fields of a request that are about tools; none if it offers none. */
function toTooling(body: Json): Json {
  const tools = Array.isArray(body["tools"]) ? body["tools"].map((tool: Json, at) => toTool(tool, ["tools", at])) : [];
  const { tool_choice: choice, parallel_tool_calls: isParallel } = body;
  if (tools.length === 0) return {};
  return {
    tools,
    ...(choice !== undefined && { tool_choice: toChoice(choice, tools) }),
    ...(isParallel !== undefined && { parallel_tool_calls: isParallel }),
  };
}

/** `strict` is always sent: its default is the opposite of the default in chat completions. */
function toTool({ type, function: fn }: Json, path: Path): Tool {
  if (type !== "function") throw unsupportedParameter(path, "is not a function, and this model supports no other tools");
  const { name, description, parameters, strict } = isObject(fn) ? fn : {};
  if (!isText(name) || !/^[\w-]{1,128}$/.test(name)) {
    throw wrongValue([...path, "function", "name"], "must be made of letters, digits, _ and -");
  }
  return {
    type,
    name,
    ...(isText(description) && { description }),
    parameters: parameters ?? { type: "object", properties: {} },
    strict: strict === true,
  };
}

function toChoice(choice: unknown, tools: readonly Tool[]): unknown {
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  if (!isObject(choice)) throw wrongValue(["tool_choice"], "must be auto, none, required or a function");
  if (choice["type"] !== "allowed_tools") return { type: "function", name: chosenTool(choice, tools) };
  const { mode = "auto", tools: listed } = isObject(choice["allowed_tools"]) ? choice["allowed_tools"] : {};
  const allowed = Array.isArray(listed) ? listed.filter(isObject) : [];
  return { type: "allowed_tools", mode, tools: allowed.map((each) => ({ type: "function", name: chosenTool(each, tools) })) };
}

/** The API's own `reasoning` also has a mode, which changes the price. */
function toReasoning({ reasoning_effort: named, reasoning: own }: Json): Json {
  const { effort = named, summary } = isObject(own) ? own : {};
  if (effort == null && summary == null) return {};
  return { reasoning: { ...(effort != null && { effort }), ...(summary != null && { summary }) } };
}

function toText({ response_format: format, verbosity }: Json): Json {
  const text = { ...toFormat(format), ...(verbosity !== undefined && { verbosity }) };
  return Object.keys(text).length > 0 ? { text } : {};
}

function toFormat(format: unknown): Json {
  if (!isObject(format) || format["type"] === "text") return {};
  const { type, json_schema: declared } = format;
  if (type === "json_object") return { format: { type } };
  if (type !== "json_schema") {
    throw unsupportedParameter(["response_format", "type"], "must be text, json_object or json_schema for this model");
  }
  if (!isObject(declared)) throw wrongValue(["response_format", "json_schema"], "must be an object");
  const { name, description, schema, strict } = declared;
  if (!isText(name)) throw wrongValue(["response_format", "json_schema", "name"], "is required");
  if (!isObject(schema)) throw wrongValue(["response_format", "json_schema", "schema"], "must be an object");
  return { format: { type, name, ...(description != null && { description }), schema, ...(strict != null && { strict }) } };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
