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
      return { kind: "text", text: textOf(fields["text"]) };
    case "refusal":
      return { kind: "refusal", text: textOf(fields["refusal"]) };
    case "thinking":
    case "reasoning":
      return { kind: "reasoning", text: textOf(fields["thinking"]) || textOf(fields["text"]) };
    case "image_url":
      return { kind: "image", url: textOf(fields["image_url"]) || textOf(fieldsOf(fields["image_url"])["url"]) };
    case "input_audio":
      return { kind: "attachment", name: `Audio ${textOf(fieldsOf(fields["input_audio"])["format"])}`.trim() };
    case "file":
      return { kind: "attachment", name: fileName(fieldsOf(fields["file"])) };
    default:
      return otherPart(part);
  }
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
  return listOf(list).map((each) => {
    const message = fieldsOf(each);
    const parts = partsOf(message);
    for (const part of parts) if (part.kind === "tool_call") tools.set(part.id, part.name);
    return { title: titleOf(message, tools), parts };
  });
}

function titleOf({ role, name, tool_call_id: callId }: Fields, tools: ReadonlyMap<string, string>): string {
  if (role === "tool") return `Result of ${tools.get(textOf(callId)) ?? `unknown call ${textOf(callId)}`}`;
  return [textOf(role) || "message", textOf(name)].filter(Boolean).join(" ");
}
