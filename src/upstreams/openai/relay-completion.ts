import { withField } from "../../vocabulary/json-text.ts";
import { isObject } from "../../vocabulary/schema.ts";
import { usageFromWire } from "../../vocabulary/usage.ts";
import type { Completion } from "../upstream.ts";
import { mendFinishReason, mendHead, mendIndex, mendText, mendToolCalls, mendUsage, toId, toSeconds } from "./mend.ts";
import { notUnderstood, refusalInside } from "./openai-error.ts";

/** An upstream's JSON answer as the caller gets it: its own bytes, but for the model's name and what would break clients. */
export function relayCompletion(text: string, model: string): Completion {
  const completion = parseCompletion(text);
  const usage = usageFromWire(completion["usage"]);
  const mended = mendCompletion(completion);
  const body = withField(mended ? JSON.stringify(completion) : text, "model", JSON.stringify(model));
  return { body, usage };
}

function parseCompletion(text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw notUnderstood(`not JSON: ${text.slice(0, 200)}`);
  }
  if (!isObject(parsed)) throw notUnderstood("not an object");
  if (parsed["error"]) throw refusalInside(parsed["error"]);
  if (!Array.isArray(parsed["choices"]) || parsed["choices"].length === 0) throw notUnderstood("no choices");
  return parsed;
}

/** Puts right, in place, what a client of the format would fail on. Returns whether there was anything. */
function mendCompletion(completion: Record<string, unknown>): boolean {
  const head = { id: toId(completion["id"]), object: "chat.completion", created: toSeconds(completion["created"]) };
  let mended = mendHead(completion, head);
  mended = mendUsage(completion) || mended;
  for (const [at, choice] of (completion["choices"] as unknown[]).entries()) {
    if (!isObject(choice) || !isObject(choice["message"])) throw notUnderstood("a choice without a message");
    mended = mendChoice(choice, choice["message"], at) || mended;
  }
  return mended;
}

function mendChoice(choice: Record<string, unknown>, message: Record<string, unknown>, at: number): boolean {
  let mended = mendIndex(choice, at);
  if (message["role"] !== "assistant") {
    message["role"] = "assistant";
    mended = true;
  }
  mended = mendText(message) || mended;
  if (message["content"] === undefined) {
    message["content"] = null;
    mended = true;
  }
  mended = mendToolCalls(message) || mended;
  if (choice["finish_reason"] === "error") throw notUnderstood("finish_reason: error");
  return mendFinishReason(choice, Array.isArray(message["tool_calls"]) && message["tool_calls"].length > 0) || mended;
}
