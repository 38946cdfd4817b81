import { toJson } from "../panel/format-json.ts";
import { fieldsOf, listOf, textOf, type Fields } from "../../../platform/json.ts";
import type { ChatMessage, Part } from "./chat.ts";

/** The parts of a message of a request or a response. Whatever has an unexpected shape is shown as JSON. */
export function partsOf(message: Fields): readonly Part[] {
  const { content, refusal, audio } = message;
  const reasoning = textOf(message["reasoning_content"]) || textOf(message["reasoning"]);
  return [
    ...(reasoning === "" ? [] : [{ kind: "reasoning", text: reasoning } as const]),
    ...contentParts(content),
    ...(textOf(refusal) === "" ? [] : [{ kind: "refusal", text: textOf(refusal) } as const]),
    ...(audio == null ? [] : audioParts(fieldsOf(audio))),
    ...listOf(message["tool_calls"]).map(toolCallOf),
    ...(message["function_call"] == null ? [] : [toolCallOf({ function: message["function_call"] })]),
  ];
}

function contentParts(content: unknown): readonly Part[] {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return Array.isArray(content) ? content.map(contentPart) : [otherPart(content)];
}

function contentPart(part: unknown): Part {
  const fields = fieldsOf(part);
  if (typeof part === "string") return { kind: "text", text: part };
  switch (fields["type"]) {
    case "text":
    case "input_text":
    case "output_text":
      return { kind: "text", text: textOf(fields["text"]) };
    case "refusal":
      return { kind: "refusal", text: textOf(fields["refusal"]) };
    case "thinking":
    case "reasoning":
      return { kind: "reasoning", text: textOf(fields["thinking"]) || textOf(fields["text"]) };
    case "tool_use":
      return { kind: "tool_call", id: textOf(fields["id"]), name: textOf(fields["name"]), arguments: inputOf(fields["input"]) };
    case "image":
      return { kind: "image", url: sourceOf(fieldsOf(fields["source"])) };
    case "document":
      return { kind: "attachment", name: `File ${textOf(fields["title"])}`.trim() };
    case "input_image":
    case "image_url":
      return { kind: "image", url: textOf(fields["image_url"]) || textOf(fieldsOf(fields["image_url"])["url"]) };
    case "input_audio":
      return { kind: "attachment", name: `Audio ${textOf(fieldsOf(fields["input_audio"])["format"])}`.trim() };
    case "file":
      return { kind: "attachment", name: fileName(fieldsOf(fields["file"])) };
    case "input_file":
      return { kind: "attachment", name: fileName(fields) };
    default:
      return otherPart(part);
  }
}

/** The input of a tool in the Messages API is an object; in a stream, the text of its JSON. */
function inputOf(input: unknown): string {
  return typeof input === "string" ? input : (JSON.stringify(input) ?? "");
}

function sourceOf({ url, media_type: type, data }: Fields): string {
  return textOf(url) || `data:${textOf(type)};base64,${textOf(data)}`;
}

function fileName(file: Fields): string {
  return `File ${textOf(file["filename"]) || textOf(file["file_id"])}`.trim();
}

/** A spoken response also has its transcript; a message that refers to an earlier spoken response has its ID. */
function audioParts(audio: Fields): readonly Part[] {
  const transcript = textOf(audio["transcript"]);
  return [
    { kind: "attachment", name: `Audio ${textOf(audio["id"])}`.trim() },
    ...(transcript === "" ? [] : [{ kind: "text", text: transcript } as const]),
  ];
}

function toolCallOf(call: unknown): Part {
  const { id, function: called, custom } = fieldsOf(call);
  const { name, arguments: given, input } = fieldsOf(called ?? custom);
  if (typeof name !== "string") return otherPart(call);
  return { kind: "tool_call", id: textOf(id), name, arguments: textOf(given) || textOf(input) };
}

function otherPart(part: unknown): Part {
  return { kind: "other", json: toJson(part) };
}

/** The messages of a request. The title of a tool result names its tool, found by the ID of the call. */
export function readMessages(list: unknown): readonly ChatMessage[] {
  const tools = new Map<string, string>();
  return listOf(list)
    .flatMap(withResultsApart)
    .map((message) => {
      const parts = partsOf(message);
      for (const part of parts) if (part.kind === "tool_call") tools.set(part.id, part.name);
      return { title: titleOf(message, tools), parts };
    });
}

/** In the Messages API the results of tools are in a message of the user, among other content. */
function withResultsApart(each: unknown): readonly Fields[] {
  const message = fieldsOf(each);
  const content = listOf(message["content"]).map(fieldsOf);
  if (!content.some(isResult)) return [message];
  const others = content.filter((part) => !isResult(part));
  const results = content.filter(isResult).map((part) => ({ role: "tool", tool_call_id: part["tool_use_id"], content: part["content"] }));
  return others.length === 0 ? results : [...results, { ...message, content: others }];
}

function isResult({ type }: Fields): boolean {
  return type === "tool_result";
}

/** An item of the Responses API as a message of chat completions. */
export function messageOfItem(item: unknown): Fields {
  const fields = fieldsOf(item);
  const { type, call_id: callId, output } = fields;
  if (type === undefined || type === "message") return fields;
  if (output !== undefined && typeof callId === "string") return { role: "tool", tool_call_id: callId, content: output };
  return { role: "assistant", content: contentOfItem(item) };
}

/** The content of an item, as parts of a message. */
export function contentOfItem(item: unknown): readonly unknown[] {
  const { type, call_id: id, name, arguments: given, input, summary, content } = fieldsOf(item);
  switch (type) {
    case "message":
      return listOf(content);
    case "function_call":
    case "custom_tool_call":
      return [{ type: "tool_use", id, name, input: given ?? input }];
    case "reasoning":
      return listOf(summary).map((part) => ({ type: "reasoning", text: fieldsOf(part)["text"] }));
    default:
      return [item];
  }
}

function titleOf({ role, name, tool_call_id: callId }: Fields, tools: ReadonlyMap<string, string>): string {
  if (role === "tool") return `Result of ${tools.get(textOf(callId)) ?? `unknown call ${textOf(callId)}`}`;
  return [textOf(role) || "message", textOf(name)].filter(Boolean).join(" ");
}
