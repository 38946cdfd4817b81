import { isObject } from "../../vocabulary/schema.ts";
import { usageFromWire } from "../../vocabulary/usage.ts";
import type { Mending } from "./mending.ts";

/** What servers of the chat-completions format get wrong in whole answers and chunks alike, and some client fails on. */

type Json = Record<string, unknown>;

/** What every answer and every chunk begins with. */
export interface Head {
  readonly id: string;
  readonly object: string;
  readonly created: number;
}

/** The head that an answer should have: its own, as far as that is usable. */
export function headOf(answer: Json, object: string): Head {
  const { id } = answer;
  return {
    id: typeof id === "string" && id !== "" ? id : `chatcmpl-${crypto.randomUUID()}`,
    object,
    created: toSeconds(answer["created"]),
  };
}

/** Some servers send Unix seconds as text or with a fraction. */
function toSeconds(created: unknown): number {
  const seconds = Math.floor(Number(created ?? Number.NaN));
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : Math.floor(Date.now() / 1000);
}

/** Clients need the head, and take the mere presence of `error` for a failure, even when it is null. */
export function mendHead(answer: Json, head: Head, mending: Mending): void {
  if (answer["id"] !== head.id) mending.set(answer, "id", head.id);
  if (answer["object"] !== head.object) mending.set(answer, "object", head.object);
  if (answer["created"] !== head.created) mending.set(answer, "created", head.created);
  mending.remove(answer, "error");
}

/** Clients add up all three counts, and money is reckoned by them; what does not have the first two is no count at all. */
export function mendUsage(answer: Json, mending: Mending): void {
  const usage = answer["usage"];
  if (usage == null) return;
  const counts = usageFromWire(usage);
  if (!isObject(usage) || !counts) return mending.remove(answer, "usage");
  const { promptTokens, completionTokens, reasoningTokens } = counts;
  if (usage["completion_tokens"] !== completionTokens) {
    mending.set(usage, "completion_tokens", completionTokens);
    // What was in the total alone is reasoning: it has a price of its own, and whoever reads these counts next must see it too.
    const details = usage["completion_tokens_details"];
    mending.set(usage, "completion_tokens_details", { ...(isObject(details) && details), reasoning_tokens: reasoningTokens });
  }
  if (usage["total_tokens"] !== promptTokens + completionTokens) mending.set(usage, "total_tokens", promptTokens + completionTokens);
}

/** Clients sort by `index`; a few servers leave it out. */
export function mendIndex(choice: Json, at: number, mending: Mending): void {
  if (!Number.isSafeInteger(choice["index"])) mending.set(choice, "index", at);
}

/** Text in parts (Mistral) becomes one string, and reasoning gets the one name that every client reads. */
export function mendText(message: Json, mending: Mending): void {
  const { content, reasoning } = message;
  if (Array.isArray(content)) mending.set(message, "content", content.map(textOfPart).join(""));
  if (typeof reasoning === "string") {
    mending.set(message, "reasoning_content", message["reasoning_content"] ?? reasoning);
    mending.remove(message, "reasoning");
  }
}

/** How much a message, or a piece of one, says: its text, reasoning, refusal and tool calls. */
export function textBytesOf(message: Json): number {
  const said = [message["content"], message["reasoning_content"], message["refusal"]];
  for (const call of toolCallsOf(message)) addCall(call["function"] ?? call["custom"], said);
  // The form that calls had before tools: some upstreams still answer `functions` with it.
  addCall(message["function_call"], said);
  let bytes = 0;
  for (const text of said) if (typeof text === "string") bytes += Buffer.byteLength(text);
  return bytes;
}

function addCall(fn: unknown, said: unknown[]): void {
  if (isObject(fn)) said.push(fn["name"], fn["arguments"], fn["input"]);
}

function textOfPart(part: unknown): string {
  return isObject(part) && typeof part["text"] === "string" ? part["text"] : "";
}

export function toolCallsOf(message: Json): Json[] {
  return Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isObject) : [];
}

/** A tool call, or the first piece of one, needs `id` and `type`. */
export function mendToolCallHead(call: Json, mending: Mending): void {
  if (typeof call["id"] !== "string" || call["id"] === "") mending.set(call, "id", `call_${crypto.randomUUID()}`);
  if (typeof call["type"] !== "string") mending.set(call, "type", isObject(call["custom"]) ? "custom" : "function");
}

/** Arguments are JSON as text, never JSON. */
export function mendArguments(fn: unknown, mending: Mending): void {
  if (!isObject(fn) || fn["arguments"] === undefined || typeof fn["arguments"] === "string") return;
  mending.set(fn, "arguments", fn["arguments"] === null ? "" : JSON.stringify(fn["arguments"]));
}

/** Agents go on only after `tool_calls`; Gemini's compatible endpoint says `stop` with calls. */
export function mendFinishReason(choice: Json, hasToolCalls: boolean, mending: Mending): void {
  const reason = choice["finish_reason"];
  if (reason === "stop" && hasToolCalls) mending.set(choice, "finish_reason", "tool_calls");
  else if (reason !== null && (typeof reason !== "string" || reason === "")) mending.set(choice, "finish_reason", null);
}
