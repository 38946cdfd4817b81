import { isObject } from "../../lib/schema/schema.ts";
import { isDeeperThan } from "../../lib/json/json-budget.ts";

/** The limit for the prompt, and the same limit for the response. Collectors accept requests of a few megabytes. */
export const MAX_CONTENT_CHARS = 64 * 1024;

/** Messages as JSON, in the structure of the GenAI conventions. */
export interface ContentAttribute {
  readonly json: string;
  readonly isCut: boolean;
}

/** `gen_ai.input.messages` */
export function inputMessages(messages: readonly Readonly<Record<string, unknown>>[]): ContentAttribute {
  const budget = new ContentBudget(MAX_CONTENT_CHARS);
  const encoded = [];
  for (const message of messages) {
    if (!budget.takeOne()) break;
    encoded.push({ role: budget.take(String(message["role"])), parts: partsOf(message, budget) });
  }
  return { json: JSON.stringify(encoded), isCut: budget.isCut };
}

/** `gen_ai.output.messages`, from the choices of a response. */
export function outputMessages(choices: readonly unknown[]): ContentAttribute {
  const budget = new ContentBudget(MAX_CONTENT_CHARS);
  const encoded = [];
  for (const choice of choices) {
    if (!isObject(choice) || !isObject(choice["message"]) || !budget.takeOne()) continue;
    const finished = choice["finish_reason"];
    const reason = finished === "tool_calls" ? "tool_call" : typeof finished === "string" ? budget.take(finished) : "error";
    encoded.push({ role: "assistant", parts: partsOf(choice["message"], budget), finish_reason: reason });
  }
  return { json: JSON.stringify(encoded), isCut: budget.isCut };
}

/** A message part in `gen_ai.input.messages` and `gen_ai.output.messages`. */
type MessagePart = { readonly type: string; readonly [field: string]: unknown };

/** Converts a chat-completions message to parts of the GenAI conventions. Images, audio and files are named without their content. */
function partsOf(message: Readonly<Record<string, unknown>>, budget: ContentBudget): MessagePart[] {
  const { role, content, reasoning_content: reasoning, refusal, tool_calls: calls, tool_call_id: callId } = message;
  if (role === "tool" && budget.takeOne()) {
    const id = typeof callId === "string" ? { id: budget.take(callId) } : {};
    return [{ type: "tool_call_response", ...id, response: budget.take(textOf(content)) }];
  }
  return [
    ...textPart("reasoning", reasoning, budget),
    ...contentParts(content, budget),
    ...textPart("refusal", refusal, budget),
    ...callParts(calls, budget),
  ];
}

function contentParts(content: unknown, budget: ContentBudget): MessagePart[] {
  if (!Array.isArray(content)) return textPart("text", content, budget);
  return content.filter(isObject).flatMap((part) => {
    const { type, text, image_url: image } = part;
    if (type === "text") return textPart("text", text, budget);
    const url = isObject(image) ? image["url"] : image;
    if (!budget.takeOne()) return [];
    if (typeof url === "string" && !url.startsWith("data:")) return [{ type: "uri", modality: "image", uri: budget.take(url) }];
    return [{ type: budget.take(asText(type)) }];
  });
}

function textPart(type: string, text: unknown, budget: ContentBudget): MessagePart[] {
  return typeof text === "string" && text !== "" && budget.takeOne() ? [{ type, content: budget.take(text) }] : [];
}

function callParts(calls: unknown, budget: ContentBudget): MessagePart[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).flatMap(({ id, function: called }) => {
    if (!isObject(called) || !budget.takeOne()) return [];
    const named = typeof id === "string" ? { id: budget.take(id) } : {};
    const { name, arguments: written } = called;
    return [{ type: "tool_call", ...named, name: budget.take(asText(name)), arguments: parsed(budget.take(asText(written))) }];
  });
}

/** The deepest nesting that is parsed: far deeper than the arguments of any tool. */
const MAX_DEPTH = 64;

/**
 * Parses tool call arguments as JSON, unless they were truncated or are not JSON. Deeply nested arguments stay text: serializing them
 * takes time quadratic in the depth, and 60 kB of brackets would block every request.
 */
function parsed(text: string): unknown {
  try {
    return isDeeperThan(text, MAX_DEPTH) ? text : JSON.parse(text);
  } catch {
    return text;
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The character budget for message content. Content above it is truncated and marked as such. */
class ContentBudget {
  #left: number;
  #isCut = false;

  constructor(chars: number) {
    this.#left = chars;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** Returns the part of a text that fits into the budget. */
  take(text: string): string {
    const taken = text.slice(0, Math.max(0, this.#left));
    this.#left -= text.length;
    if (taken.length < text.length) this.#isCut = true;
    return taken;
  }

  /** Whether another part fits. The structure around a text counts for a few characters, too. */
  takeOne(): boolean {
    this.#left -= CHARS_AROUND;
    if (this.isSpent) this.#isCut = true;
    return !this.isSpent;
  }
}

const CHARS_AROUND = 64;
