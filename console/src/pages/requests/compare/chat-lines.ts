import type { ChatMessage, Part } from "../chat/chat.ts";
import { formatJson, toJson } from "../panel/format-json.ts";
import { readReply, readRequest } from "../chat/read-chat.ts";

/** Messages as lines of text, so that two conversations can be compared. */
function messageLines(messages: readonly ChatMessage[]): readonly string[] {
  return messages.flatMap(({ title, parts, finishReason }) => [
    `[${title}]`,
    ...parts.flatMap((part) => partText(part).split("\n")),
    ...(finishReason === undefined ? [] : [`Finish reason: ${finishReason}`]),
  ]);
}

function partText(part: Part): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "reasoning":
      return `Reasoning: ${part.text}`;
    case "refusal":
      return `Refusal: ${part.text}`;
    case "image":
      return `Image ${part.url}`;
    case "attachment":
      return part.name;
    case "tool_call":
      // Not its ID, which differs in each response.
      return `Tool call: ${part.name}\n${formatJson(part.arguments)}`;
    case "other":
      return part.json;
  }
}

export interface RequestLines {
  readonly messages: readonly string[];
  readonly parameters: readonly string[];
}

/** The lines of a stored request: its messages, and its other fields in a fixed order. */
export function requestLines(text: string | null): RequestLines {
  if (text === null) return { messages: ["Not stored."], parameters: ["Not stored."] };
  const chat = readRequest(text);
  if (!chat) return { messages: text.split("\n"), parameters: [] };
  const parameters = Object.entries(chat.parameters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    messages: messageLines(chat.messages),
    parameters: parameters.flatMap(([name, value]) => `${name}: ${toJson(value)}`.split("\n")),
  };
}

export function replyLines(text: string | null, isStream: boolean): readonly string[] {
  if (text === null) return ["Not stored."];
  const messages = readReply(text, isStream);
  return messages ? messageLines(messages) : formatJson(text).split("\n");
}
