import { isJsonWithin, JsonBudget } from "../../lib/json/json-budget.ts";
import { JSON_LIMITS, withField } from "../../lib/json/json-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { usageToWire, type ReceivedUsage, type Usage, BYTES_PER_TOKEN } from "../../money/usage.ts";
import { premiumTierOf, withTier } from "../../requests/service-tier.ts";
import { unparsableResponse, parseAnswer, readError, refusalInside } from "../refusal.ts";
import type { Completion, UpstreamCall } from "../upstream.ts";
import { isCutShort, mendFinalReason } from "./finish-reasons.ts";
import {
  headOf,
  measureText,
  mendArguments,
  mendHead,
  mendIndex,
  mendText,
  mendToolCallHead,
  mendToolCallList,
  mendUsage,
  NO_ARGUMENTS,
  toolCallsOf,
} from "./mend.ts";
import { Mending } from "./mending.ts";
import { bytesIn, isImplausible, withOutputEstimated } from "./plausible-usage.ts";
import { ReceivedText } from "./received-text.ts";

type Json = Record<string, unknown>;

/** Relays a JSON response with its own bytes, except for the model's name and repairs of what would break clients. */
export function relayCompletion(text: string, call: UpstreamCall): Completion {
  const completion = parseCompletion(text);
  const mending = new Mending(call);
  mendHead(completion, headOf(completion, "chat.completion"), mending);
  const tier = premiumTierOf(completion["service_tier"]);
  const counts = mendUsage(completion, mending);
  const usage = counts && withTier(counts, tier);
  const choices = completion["choices"] as unknown[];
  for (let at = 0; at < choices.length; at++) mendChoice(choices[at], at, mending);
  if (usage && choices.length === 1 && hasUsualLength(choices[0] as Choice, usage)) {
    return { body: bodyOf(completion, text, call, mending), usage, uncountedBytes: 0 };
  }
  const counted = countedIn(completion, usage, call, mending);
  if (counted.usage && counted.usage !== usage) mending.set(completion, "usage", usageToWire(counted.usage));
  return {
    body: bodyOf(completion, text, call, mending),
    usage: counted.usage,
    uncountedBytes: counted.uncountedBytes,
    multipliers: tier === undefined ? undefined : [tier],
  };
}

function bodyOf(completion: Json, text: string, call: UpstreamCall, mending: Mending): string {
  return withField(mending.isNeeded ? JSON.stringify(completion) : text, "model", JSON.stringify(call.model));
}

interface Choice {
  readonly message: Json;
  readonly finish_reason: unknown;
}

/** The most characters per token of usual text: above the average of ordinary text, which has about 4. */
const USUAL_CHARS_PER_TOKEN = 8;

/** Whether a response is plain text whose token count fits its length. Then the text is not measured. */
function hasUsualLength({ message }: Choice, { completionTokens }: Usage): boolean {
  const { content, reasoning_content: reasoning, tool_calls: calls, function_call: call } = message;
  return typeof content === "string" && !reasoning && !calls && !call && content.length <= completionTokens * USUAL_CHARS_PER_TOKEN;
}

/** The counts to charge, and the bytes of text that they do not cover. */
function countedIn(completion: Json, usage: Usage | undefined, call: UpstreamCall, mending: Mending): ReceivedUsage {
  const choices = completion["choices"] as readonly Choice[];
  const received = choices.map(receivedIn);
  if (!usage) {
    mending.note("usage_missing");
    return { usage, uncountedBytes: bytesIn(received) };
  }
  if (choices.length > 1 && countsFirstChoice(completion, usage)) {
    mending.note("usage_per_choice");
    const others = choices.map(({ finish_reason: finishReason }, at) => ({ finishReason, received: received[at]! })).slice(1);
    return withOtherChoices(usage, others, limitOf(call));
  }
  if (!isImplausible(usage.completionTokens, received)) return { usage, uncountedBytes: 0 };
  mending.note("usage_implausible");
  return withOutputEstimated(usage, received);
}

function receivedIn({ message }: Choice): ReceivedText {
  const received = new ReceivedText();
  measureText(message, received);
  return received;
}

function parseCompletion(text: string): Json {
  const parsed = parseAnswer(text, JSON.parse);
  if (!isObject(parsed)) throw unparsableResponse("not an object");
  if (parsed["error"]) throw refusalInside(readError(parsed["error"]));
  if (!Array.isArray(parsed["choices"]) || parsed["choices"].length === 0) throw unparsableResponse("no choices");
  return parsed;
}

function mendChoice(choice: unknown, at: number, mending: Mending): void {
  if (!isObject(choice) || !isObject(choice["message"])) throw unparsableResponse("a choice without a message");
  const { message } = choice;
  mendIndex(choice, at, mending);
  mendText(message, mending);
  mendToolCallList(message, mending);
  if (message["role"] !== "assistant") mending.set(message, "role", "assistant", "role_missing");
  if (message["content"] === undefined) mending.set(message, "content", null, "content_missing");
  const calls = toolCallsOf(message);
  for (const call of calls) mendToolCall(call, mending);
  mendFinalReason(choice, calls.length > 0, mending);
  if (calls.length > 0 && !isCutShort(choice["finish_reason"])) endCalls(calls, mending);
}

function mendToolCall(call: Json, mending: Mending): void {
  if (!isObject(call["function"]) && !isObject(call["custom"])) mending.set(call, "function", {}, "tool_function_missing");
  const fn = (call["function"] ?? call["custom"]) as Json;
  mendToolCallHead(call, fn, mending);
  if (!isObject(call["function"])) return;
  if (fn["arguments"] === undefined) mending.set(fn, "arguments", "", "arguments_not_text");
  mendArguments(fn, mending);
}

function endCalls(calls: readonly Json[], mending: Mending): void {
  const budget = new JsonBudget(JSON_LIMITS);
  for (const { function: fn } of calls) if (isObject(fn)) endArguments(fn, budget, mending);
}

function endArguments(fn: Json, budget: JsonBudget, mending: Mending): void {
  if (fn["arguments"] === "") return mending.set(fn, "arguments", NO_ARGUMENTS, "arguments_empty");
  if (!isJsonWithin(String(fn["arguments"]), budget)) mending.note("arguments_unparsable");
}

/** One of several choices, with the data from which its tokens are estimated. */
interface ReceivedChoice {
  readonly finishReason: unknown;
  readonly received: ReceivedText;
}

/**
 * llama.cpp sends `n` choices with the usage and the timings of the first one only
 * (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-context.cpp): `predicted_n` is the first choice's token count.
 */
function countsFirstChoice({ timings }: Readonly<Record<string, unknown>>, { completionTokens }: Usage): boolean {
  return isObject(timings) && timings["predicted_n"] === completionTokens;
}

/**
 * Derives the counts of all choices from the counts of the first choice. If the first reached the token limit, every other choice that
 * finished with `length` has reached it too; the rest are estimated, up to the limit.
 */
function withOtherChoices(usage: Usage, others: readonly ReceivedChoice[], limit: number): ReceivedUsage {
  let { completionTokens } = usage;
  const isLimitReached = completionTokens === limit;
  let uncountedBytes = 0;
  for (const { finishReason, received } of others) {
    if (isLimitReached && finishReason === "length") completionTokens += limit;
    else uncountedBytes += Math.min(received.bytes, limit * BYTES_PER_TOKEN);
  }
  return { usage: { ...usage, completionTokens }, uncountedBytes };
}

/** The max output tokens of a choice: the gateway's limit, or else the caller's. */
function limitOf({ maxTokens, chat: { outline } }: Pick<UpstreamCall, "maxTokens" | "chat">): number {
  const { max_tokens: oldName, max_completion_tokens: newName } = outline as Record<string, number | null | undefined>;
  return maxTokens ?? (Math.max(oldName ?? 0, newName ?? 0) || Number.POSITIVE_INFINITY);
}
