import type { Picture } from "./images.ts";

/** A tool that a model wants to have called. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, if the model kept to it. */
  readonly arguments: string;
}

/** A message of the conversation, as it is edited. */
export type Turn =
  | { readonly id: string; readonly role: "user"; readonly text: string; readonly pictures: readonly Picture[] }
  | { readonly id: string; readonly role: "assistant"; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly id: string; readonly role: "tool"; readonly callId: string; readonly text: string }
  /** One that cannot be edited here, such as with a sound in it. It is sent as it is. */
  | { readonly id: string; readonly role: "other"; readonly message: Readonly<Record<string, unknown>> };

/** What is about to be asked. */
export interface Question {
  readonly text: string;
  readonly pictures: readonly Picture[];
}

export const NO_QUESTION: Question = { text: "", pictures: [] };

export function isEmpty({ text, pictures }: Question): boolean {
  return text.trim() === "" && pictures.length === 0;
}

/** A turn without what tells it apart from others that say the same. */
export type NewTurn = Turn extends infer T ? (T extends Turn ? Omit<T, "id"> : never) : never;

/** All turns that are ever made on this page have another id. */
let made = 0;

export function turn(parts: NewTurn): Turn {
  return { ...parts, id: `turn-${++made}` };
}

/** The messages of a chat completion. */
export function messagesOf(system: string, turns: readonly Turn[]): readonly object[] {
  const first = system.trim() === "" ? [] : [{ role: "system", content: system }];
  return [...first, ...turns.map(messageOf)];
}

function messageOf(each: Turn): object {
  switch (each.role) {
    case "user":
      return { role: "user", content: userContent(each.text, each.pictures) };
    case "assistant":
      return assistantMessage(each.text, each.toolCalls);
    case "tool":
      return { role: "tool", tool_call_id: each.callId, content: each.text };
    case "other":
      return each.message;
  }
}

function userContent(text: string, pictures: readonly Picture[]): unknown {
  if (pictures.length === 0) return text;
  const shown = pictures.map(({ url }) => ({ type: "image_url", image_url: { url } }));
  return text === "" ? shown : [{ type: "text", text }, ...shown];
}

function assistantMessage(text: string, calls: readonly ToolCall[]): object {
  if (calls.length === 0) return { role: "assistant", content: text };
  const tool_calls = calls.map(({ id, name, arguments: given }) => ({ id, type: "function", function: { name, arguments: given } }));
  return { role: "assistant", content: text === "" ? null : text, tool_calls };
}
