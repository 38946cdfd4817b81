import { toBase62 } from "../../lib/text/base62.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { Quirks } from "../../models/preset.ts";
import { isObject } from "../../lib/schema/schema.ts";

type Message = Readonly<Record<string, unknown>>;

/** Adapts the messages to a server with these quirks; undefined where nothing has to change. */
export function adaptMessages(chat: Pick<ChatRequest, "messages">, quirks: Quirks): readonly Message[] | undefined {
  const { messageFields, lacksDeveloperRole, needsJoinedText, shortToolIds } = quirks;
  if (!messageFields && !lacksDeveloperRole && !needsJoinedText && !shortToolIds) return undefined;
  const { messages } = chat;
  const changed = messages.map((message) => adaptMessage(message, quirks));
  return changed.some((message, at) => message !== messages[at]) ? changed : undefined;
}

/** Returns the same object where nothing has to change. */
function adaptMessage(message: Message, { messageFields, lacksDeveloperRole, needsJoinedText, shortToolIds }: Quirks): Message {
  let result = message;
  if (messageFields) result = withoutFields(result, messageFields);
  if (lacksDeveloperRole && message["role"] === "developer") result = { ...result, role: "system" };
  if (needsJoinedText) result = withTextInOnePiece(result);
  if (shortToolIds) result = withShortToolIds(result);
  return result;
}

function withoutFields(message: Message, rolesByField: Readonly<Record<string, readonly string[]>>): Message {
  const isRefused = (field: string): boolean =>
    Object.hasOwn(rolesByField, field) && !rolesByField[field]!.includes(message["role"] as string);
  const fields = Object.keys(message);
  return fields.some(isRefused) ? Object.fromEntries(Object.entries(message).filter(([field]) => !isRefused(field))) : message;
}

/** Joins text parts with line breaks. Content with images stays in parts, because an image has no other form. */
function withTextInOnePiece(message: Message): Message {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const texts = content.map((part: unknown) => (isObject(part) && part["type"] === "text" ? part["text"] : undefined));
  return texts.every((text) => typeof text === "string") ? { ...message, content: texts.join("\n") } : message;
}

/** Shortening is deterministic, so a call and its result get the same id. */
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

/** 48 bits of a SHA-256 hash as nine base62 characters: collisions within one conversation are negligible. */
function shortened(id: unknown): unknown {
  if (!isTooLong(id)) return id;
  const hash = new Bun.CryptoHasher("sha256").update(id).digest();
  return toBase62(hash.readUIntBE(0, 6), 9);
}
