import { toBase62 } from "../../lib/text/base62.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { Quirks } from "../../models/preset.ts";
import { isObject } from "../../lib/schema/schema.ts";

type Message = Readonly<Record<string, unknown>>;

/** The messages as a server with these quirks takes them; undefined where they are so already. */
export function messagesFor(chat: Pick<ChatRequest, "messages">, quirks: Quirks): readonly Message[] | undefined {
  const { messageFields, hasNoDeveloper, textInOnePiece, shortToolIds } = quirks;
  if (!messageFields && !hasNoDeveloper && !textInOnePiece && !shortToolIds) return undefined;
  const { messages } = chat;
  const changed = messages.map((message) => messageFor(message, quirks));
  return changed.some((message, at) => message !== messages[at]) ? changed : undefined;
}

/** The same object where there is nothing to change. */
function messageFor(message: Message, { messageFields, hasNoDeveloper, textInOnePiece, shortToolIds }: Quirks): Message {
  let result = message;
  if (messageFields) result = withoutFields(result, messageFields);
  if (hasNoDeveloper && message["role"] === "developer") result = { ...result, role: "system" };
  if (textInOnePiece) result = withTextInOnePiece(result);
  if (shortToolIds) result = withShortToolIds(result);
  return result;
}

function withoutFields(message: Message, rolesByField: Readonly<Record<string, readonly string[]>>): Message {
  const isRefused = (field: string): boolean =>
    Object.hasOwn(rolesByField, field) && !rolesByField[field]!.includes(message["role"] as string);
  const fields = Object.keys(message);
  return fields.some(isRefused) ? Object.fromEntries(Object.entries(message).filter(([field]) => !isRefused(field))) : message;
}

/** Each part is a piece of writing of its own, so a line ends behind it. What is not all text stays: an image has no other form. */
function withTextInOnePiece(message: Message): Message {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const texts = content.map((part: unknown) => (isObject(part) && part["type"] === "text" ? part["text"] : undefined));
  return texts.every((text) => typeof text === "string") ? { ...message, content: texts.join("\n") } : message;
}

/** A call and its result get the same id, because the same id always gives the same one. */
function withShortToolIds(message: Message): Message {
  const { tool_calls: calls, tool_call_id: answered } = message;
  let result = message;
  if (Array.isArray(calls) && calls.some((call) => isObject(call) && isTooLong(call["id"]))) {
    result = { ...result, tool_calls: calls.map((call: unknown) => (isObject(call) ? { ...call, id: shortened(call["id"]) } : call)) };
  }
  return isTooLong(answered) ? { ...result, tool_call_id: shortened(answered) } : result;
}

function isTooLong(id: unknown): id is string {
  return typeof id === "string" && !/^[A-Za-z\d]{9}$/.test(id);
}

/** 48 bits of a hash in nine letters and digits: among the calls of one conversation no two are the same. */
function shortened(id: unknown): unknown {
  if (!isTooLong(id)) return id;
  const hash = new Bun.CryptoHasher("sha256").update(id).digest();
  return toBase62(hash.readUIntBE(0, 6), 9);
}
