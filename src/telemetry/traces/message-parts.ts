import { isDeeperThan } from "../../lib/json/json-budget.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { ContentBudget } from "./content-budget.ts";

/** A message part in `gen_ai.input.messages` and `gen_ai.output.messages`. */
export type MessagePart = { readonly type: string; readonly [field: string]: unknown };

/** Converts a chat-completions message to parts of the GenAI conventions. Images, audio and files are named without their content. */
export function partsOf(message: Readonly<Record<string, unknown>>, budget: ContentBudget): MessagePart[] {
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

/** Far deeper than the arguments of any tool. */
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
