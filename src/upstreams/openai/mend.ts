import { isObject } from "../../vocabulary/schema.ts";
import { usageFromWire } from "../../vocabulary/usage.ts";

/**
 * What servers of the chat-completions format get wrong in messages and deltas alike, and some client fails on. Each function
 * puts one thing right in place and returns whether it had to: only then is the answer rebuilt instead of relayed.
 */

/** Unix seconds as an integer; some servers send them as text or with a fraction. */
export function toSeconds(created: unknown): number {
  const seconds = Math.floor(Number(created ?? Number.NaN));
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : Math.floor(Date.now() / 1000);
}

export function toId(id: unknown): string {
  return typeof id === "string" && id !== "" ? id : `chatcmpl-${crypto.randomUUID()}`;
}

export interface Head {
  readonly id: string;
  readonly object: string;
  readonly created: number;
}

/** Clients need these three, and take the mere presence of `error` for a failure, even when it is null. */
export function mendHead(answer: Record<string, unknown>, head: Head): boolean {
  const isRight = answer["id"] === head.id && answer["object"] === head.object && answer["created"] === head.created;
  if (isRight && !("error" in answer)) return false;
  delete answer["error"];
  Object.assign(answer, head);
  return true;
}

/** Clients add up all three counts; what does not have the first two is no count at all. */
export function mendUsage(answer: Record<string, unknown>): boolean {
  const usage = answer["usage"];
  if (usage == null) return false;
  const counts = usageFromWire(usage);
  if (!counts) {
    delete answer["usage"];
    return true;
  }
  const { promptTokens, completionTokens } = counts;
  if (Number.isSafeInteger((usage as Record<string, unknown>)["total_tokens"])) return false;
  (usage as Record<string, unknown>)["total_tokens"] = promptTokens + completionTokens;
  return true;
}

/** Clients sort by `index`; a few servers leave it out. */
export function mendIndex(item: Record<string, unknown>, at: unknown): boolean {
  if (Number.isSafeInteger(item["index"])) return false;
  item["index"] = at;
  return true;
}

/** Text in parts (Mistral) becomes one string, and reasoning gets the one name that every client reads. */
export function mendText(message: Record<string, unknown>): boolean {
  let mended = false;
  if (Array.isArray(message["content"])) {
    message["content"] = message["content"].map(textOfPart).join("");
    mended = true;
  }
  if (typeof message["reasoning"] === "string") {
    message["reasoning_content"] ??= message["reasoning"];
    delete message["reasoning"];
    mended = true;
  }
  return mended;
}

function textOfPart(part: unknown): string {
  return isObject(part) && typeof part["text"] === "string" ? part["text"] : "";
}

/** Whole tool calls need `id`, `type`, and arguments as text. */
export function mendToolCalls(message: Record<string, unknown>): boolean {
  let mended = false;
  for (const call of toolCallsOf(message)) {
    if (typeof call["id"] !== "string") {
      call["id"] = `call_${crypto.randomUUID()}`;
      mended = true;
    }
    if (typeof call["type"] !== "string") {
      call["type"] = "function";
      mended = true;
    }
    mended = mendArguments(call["function"]) || mended;
  }
  return mended;
}

export function toolCallsOf(message: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isObject) : [];
}

export function mendArguments(fn: unknown): boolean {
  if (!isObject(fn) || fn["arguments"] === undefined || typeof fn["arguments"] === "string") return false;
  fn["arguments"] = fn["arguments"] === null ? "" : JSON.stringify(fn["arguments"]);
  return true;
}

/** Agents go on only after `tool_calls`; Gemini's compatible endpoint says `stop` with calls. */
export function mendFinishReason(choice: Record<string, unknown>, hasToolCalls: boolean): boolean {
  const reason = choice["finish_reason"];
  if (reason === "stop" && hasToolCalls) {
    choice["finish_reason"] = "tool_calls";
    return true;
  }
  if (reason !== null && (typeof reason !== "string" || reason === "")) {
    choice["finish_reason"] = null;
    return true;
  }
  return false;
}
