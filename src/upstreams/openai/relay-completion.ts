import { withField } from "../../vocabulary/json-text.ts";
import { isObject } from "../../vocabulary/schema.ts";
import { usageFromWire } from "../../vocabulary/usage.ts";
import { notUnderstood, readError, refusalInside } from "../refusal.ts";
import type { Completion, UpstreamCall } from "../upstream.ts";
import {
  headOf,
  mendArguments,
  mendFinishReason,
  mendHead,
  mendIndex,
  mendText,
  mendToolCallHead,
  mendUsage,
  textBytesOf,
  toolCallsOf,
} from "./mend.ts";
import { Mending } from "./mending.ts";

/** An upstream's JSON answer as the caller gets it: its own bytes, but for the model's name and what would break clients. */
export function relayCompletion(text: string, { chat: { model } }: UpstreamCall): Completion {
  const completion = parseCompletion(text);
  const mending = new Mending();
  mendHead(completion, headOf(completion, "chat.completion"), mending);
  mendUsage(completion, mending);
  const choices = completion["choices"] as unknown[];
  for (const [at, choice] of choices.entries()) mendChoice(choice, at, mending);
  const body = withField(mending.isNeeded ? JSON.stringify(completion) : text, "model", JSON.stringify(model));
  const usage = usageFromWire(completion["usage"]);
  return { body, usage, uncountedBytes: usage ? 0 : bytesIn(choices) };
}

function bytesIn(choices: readonly unknown[]): number {
  return choices.reduce<number>((sum, choice) => sum + textBytesOf((choice as { message: Record<string, unknown> }).message), 0);
}

function parseCompletion(text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw notUnderstood(`an answer of ${text.length} characters that is not JSON`);
  }
  if (!isObject(parsed)) throw notUnderstood("not an object");
  if (parsed["error"]) throw refusalInside(readError(parsed["error"]));
  if (!Array.isArray(parsed["choices"]) || parsed["choices"].length === 0) throw notUnderstood("no choices");
  return parsed;
}

function mendChoice(choice: unknown, at: number, mending: Mending): void {
  if (!isObject(choice) || !isObject(choice["message"])) throw notUnderstood("a choice without a message");
  if (choice["finish_reason"] === "error") throw notUnderstood("finish_reason: error");
  const { message } = choice;
  mendIndex(choice, at, mending);
  mendText(message, mending);
  if (message["role"] !== "assistant") mending.set(message, "role", "assistant");
  if (message["content"] === undefined) mending.set(message, "content", null);
  const calls = toolCallsOf(message);
  for (const call of calls) {
    mendToolCallHead(call, mending);
    mendArguments(call["function"], mending);
  }
  mendFinishReason(choice, calls.length > 0, mending);
}
