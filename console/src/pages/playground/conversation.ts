import type { AttachedImage } from "./prompt/images.ts";

/** A tool call in a response. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, unless the model returned something else. */
  readonly arguments: string;
}

/** The names of the tools, numbered if a tool is called several times. */
export function labelsOf(calls: readonly ToolCall[]): readonly string[] {
  return calls.map(({ name }, at) => {
    const isRepeated = calls.some((other, place) => place !== at && other.name === name);
    return isRepeated ? `${name} (${at + 1})` : name;
  });
}

/** A message of the conversation, editable. */
export type Turn =
  | { readonly id: string; readonly role: "user"; readonly text: string; readonly images: readonly AttachedImage[] }
  | { readonly id: string; readonly role: "assistant"; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly id: string; readonly role: "tool"; readonly callId: string; readonly text: string }
  /** A message that cannot be edited, such as a message with audio. It is sent unchanged. */
  | { readonly id: string; readonly role: "other"; readonly message: Readonly<Record<string, unknown>> };

/** The next message. */
export interface Prompt {
  readonly text: string;
  readonly images: readonly AttachedImage[];
}

export const EMPTY_PROMPT: Prompt = { text: "", images: [] };

export function isEmpty({ text, images }: Prompt): boolean {
  return text.trim() === "" && images.length === 0;
}

/** A turn without its ID. */
export type NewTurn = Turn extends infer T ? (T extends Turn ? Omit<T, "id"> : never) : never;

/** Turn IDs are unique on this page. */
let lastTurn = 0;

export function turn(parts: NewTurn): Turn {
  return { ...parts, id: `turn-${++lastTurn}` };
}

/** The messages of a chat completion. */
export function messagesOf(system: string, turns: readonly Turn[]): readonly object[] {
  const first = system.trim() === "" ? [] : [{ role: "system", content: system }];
  return [...first, ...turns.map(messageOf)];
}

function messageOf(each: Turn): object {
  switch (each.role) {
    case "user":
      return { role: "user", content: userContent(each.text, each.images) };
    case "assistant":
      return assistantMessage(each.text, each.toolCalls);
    case "tool":
      return { role: "tool", tool_call_id: each.callId, content: each.text };
    case "other":
      return each.message;
  }
}

function userContent(text: string, images: readonly AttachedImage[]): unknown {
  if (images.length === 0) return text;
  const shown = images.map(({ url }) => ({ type: "image_url", image_url: { url } }));
  return text === "" ? shown : [{ type: "text", text }, ...shown];
}

function assistantMessage(text: string, calls: readonly ToolCall[]): object {
  if (calls.length === 0) return { role: "assistant", content: text };
  const tool_calls = calls.map(({ id, name, arguments: given }) => ({ id, type: "function", function: { name, arguments: given } }));
  return { role: "assistant", content: text === "" ? null : text, tool_calls };
}
