import { isObject } from "../../lib/schema/schema.ts";
import { usageFromWire, type Usage } from "../../money/usage.ts";
import type { Mending } from "./mending.ts";
import type { ReceivedText } from "./received-text.ts";

/**
 * Repairs of format deviations: many servers that claim OpenAI's format send responses that some client cannot read. The functions here are
 * for deviations of JSON responses and of stream chunks alike. Each changes the parsed object through `Mending`, which counts the
 * deviation.
 */

type Json = Record<string, unknown>;

/** The first fields of every response and every chunk, in which all chunks of a stream must agree. */
export interface Head {
  readonly id: string;
  readonly object: string;
  readonly created: number;
}

/** The head for a response: its own fields if they are valid, otherwise generated fields. */
export function headOf(response: Json, object: string): Head {
  const { id } = response;
  return {
    id: typeof id === "string" && id !== "" ? id : `chatcmpl-${crypto.randomUUID()}`,
    object,
    created: toSeconds(response["created"]),
  };
}

/** Some servers send Unix seconds as text or with a fraction. */
function toSeconds(created: unknown): number {
  const seconds = Math.floor(Number(created ?? Number.NaN));
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : Math.floor(Date.now() / 1000);
}

/** Sets the fields of the head, which clients require, and removes `error: null`, which some clients treat as a failure. */
export function mendHead(response: Json, head: Head, mending: Mending): void {
  const { id, created } = response;
  if (id !== head.id) mending.set(response, "id", head.id, typeof id === "string" && id !== "" ? "id_changed" : "id_missing");
  if (response["object"] !== head.object) mending.set(response, "object", head.object, "object_wrong");
  if (created !== head.created) {
    mending.set(response, "created", head.created, created === toSeconds(created) ? "created_changed" : "created_malformed");
  }
  mending.remove(response, "error", "error_null");
}

/**
 * What the provider charges the operator, as OpenRouter (https://openrouter.ai/docs/cookbook/administration/usage-accounting) and xAI
 * (https://docs.x.ai/developers/cost-tracking) send it with every response; some providers send `estimated_cost`. It must not reach
 * callers, who pay another price.
 */
const COST_OF_OPERATOR = ["cost", "cost_details", "is_byok", "cost_in_usd_ticks", "estimated_cost"];

/**
 * Repairs the usage, and returns its counts. Clients sum up prompt, completion and total tokens, and charges are computed from them. A
 * usage object without prompt or completion tokens is removed, and so is the cost in it.
 */
export function mendUsage(response: Json, mending: Mending): Usage | undefined {
  const elsewhere = response["usage"] == null ? usageElsewhere(response) : undefined;
  if (elsewhere) mending.set(response, "usage", elsewhere, "usage_misplaced");
  const usage = response["usage"];
  if (usage == null) return undefined;
  const counts = usageFromWire(usage);
  if (!isObject(usage) || !counts) {
    mending.remove(response, "usage", "usage_malformed");
    return undefined;
  }
  for (const name of COST_OF_OPERATOR) mending.remove(usage, name);
  const { promptTokens, completionTokens, reasoningTokens } = counts;
  mendCached(usage, counts.cachedTokens, mending);
  if (usage["completion_tokens"] !== completionTokens) {
    mending.set(usage, "completion_tokens", completionTokens, "usage_malformed");
    // Tokens that are only in the total are reasoning tokens: they have their own price, so the repaired usage must show them.
    const details = usage["completion_tokens_details"];
    mending.set(usage, "completion_tokens_details", { ...(isObject(details) && details), reasoning_tokens: reasoningTokens });
  }
  const total = promptTokens + completionTokens;
  if (usage["total_tokens"] !== total) mending.set(usage, "total_tokens", total, "usage_malformed");
  return counts;
}

/** Groq sends usage in `x_groq`, Moonshot in the choice that finishes. */
function usageElsewhere({ x_groq: groq, choices }: Json): Json | undefined {
  return usageIn(groq) ?? (Array.isArray(choices) ? usageIn(choices[0]) : undefined);
}

function usageIn(place: unknown): Json | undefined {
  return isObject(place) && isObject(place["usage"]) ? place["usage"] : undefined;
}

/** Providers report cached tokens in different fields. They are moved to the standard one, so that clients see why a request cost less. */
function mendCached(usage: Json, cachedTokens: number, mending: Mending): void {
  const details = isObject(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  if (cachedTokens === 0 || details["cached_tokens"]) return;
  mending.set(usage, "prompt_tokens_details", { ...details, cached_tokens: cachedTokens });
}

/** Clients sort by `index`, which a few servers omit. */
export function mendIndex(choice: Json, at: number, mending: Mending): void {
  if (!Number.isSafeInteger(choice["index"])) mending.set(choice, "index", at, "index_missing");
}

/** Joins text in parts (Mistral) into one string, and renames reasoning to `reasoning_content`, which most clients read. */
export function mendText(message: Json, mending: Mending): void {
  const { content, reasoning } = message;
  if (Array.isArray(content)) joinParts(message, content, mending);
  if (typeof reasoning === "string") {
    mending.set(message, "reasoning_content", message["reasoning_content"] || reasoning);
    mending.remove(message, "reasoning", "reasoning_renamed");
  }
  for (const name of TEXTS)
    if (message[name] != null && typeof message[name] !== "string") mending.remove(message, name, "message_malformed");
}

/** Mistral's reasoning models send thinking as separate parts among the text parts. */
function joinParts(message: Json, parts: readonly unknown[], mending: Mending): void {
  mending.set(message, "content", parts.map(textOfPart).join(""), "content_in_parts");
  const thought = parts.map(thoughtOfPart).join("");
  if (thought !== "") mending.set(message, "reasoning_content", message["reasoning_content"] || thought);
}

const TEXTS = ["content", "reasoning_content", "refusal"];

/** Clients iterate over the calls and read into each one, so anything that is not an array of objects is removed. */
export function mendToolCallList(message: Json, mending: Mending): void {
  const calls = message["tool_calls"];
  if (calls == null) return;
  if (!Array.isArray(calls)) mending.remove(message, "tool_calls", "message_malformed");
  else if (!calls.every(isObject)) mending.set(message, "tool_calls", calls.filter(isObject), "message_malformed");
}

/** Measures the text of a message or a delta: its content, reasoning, refusal and tool calls. Returns its bytes. */
export function measureText(message: Json, received: ReceivedText): number {
  let bytes = 0;
  for (const name of TEXTS) bytes += measure(message[name], received);
  for (const call of toolCallsOf(message)) bytes += measureCall(call["function"] ?? call["custom"], received);
  // The legacy form of tool calls, which some upstreams still send for `functions`.
  return bytes + measureCall(message["function_call"], received);
}

function measureCall(fn: unknown, received: ReceivedText): number {
  if (!isObject(fn)) return 0;
  return measure(fn["name"], received) + measure(fn["arguments"], received) + measure(fn["input"], received);
}

function measure(text: unknown, received: ReceivedText): number {
  return typeof text === "string" ? received.add(text) : 0;
}

function textOfPart(part: unknown): string {
  return isObject(part) && typeof part["text"] === "string" ? part["text"] : "";
}

/** A thinking part contains text parts: in `thinking` for Mistral, in `summary` for Databricks. */
function thoughtOfPart(part: unknown): string {
  const thinking = isObject(part) ? (part["thinking"] ?? part["summary"]) : undefined;
  if (Array.isArray(thinking)) return thinking.map(textOfPart).join("");
  return typeof thinking === "string" ? thinking : "";
}

const NO_CALLS: readonly Json[] = [];

export function toolCallsOf(message: Json): readonly Json[] {
  const calls = message["tool_calls"];
  return Array.isArray(calls) ? calls.filter(isObject) : NO_CALLS;
}

/** The id of a tool call or its delta. Mistral has sent "null" as the id of every call. */
export function toolIdOf({ id }: Json): string | undefined {
  return typeof id === "string" && id !== "" && id !== "null" ? id : undefined;
}

/** A tool call, or its first delta, needs an id, a type and a name. A missing name cannot be generated. */
export function mendToolCallHead(call: Json, fn: Json, mending: Mending): void {
  if (toolIdOf(call) === undefined) mending.set(call, "id", `call_${crypto.randomUUID()}`, "tool_id_missing");
  if (typeof call["type"] !== "string") mending.set(call, "type", isObject(call["custom"]) ? "custom" : "function", "tool_type_missing");
  if (typeof fn["name"] !== "string") mending.set(fn, "name", "");
  if (fn["name"] === "") mending.note("tool_name_missing");
}

/** The arguments of a call without any, because every client parses them. */
export const NO_ARGUMENTS = "{}";

/** Arguments must be a string that contains JSON, not a JSON value. */
export function mendArguments(fn: Json, mending: Mending): void {
  const args = fn["arguments"];
  if (args === undefined || typeof args === "string") return;
  mending.set(fn, "arguments", args === null ? "" : JSON.stringify(args), "arguments_not_text");
}
