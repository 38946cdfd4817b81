import type { Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { Nanos } from "../../money/money.ts";
import { affordableOutput, highestCost, type Price } from "../../money/price.ts";
import { estimateTokens } from "../../money/usage.ts";
import type { PromptSize } from "./prompt-size.ts";

/** How many tokens a request can come to: a bound, not a guess, because credit is set aside by it. */
export interface RequestSize {
  readonly inputTokens: number;
  /** Choices, each of which may use all of its output tokens. */
  readonly choices: number;
  /** What the caller allows each choice. Undefined where it does not say. */
  readonly wantedOutput: number | undefined;
}

/** What is set aside for a request, and the limit on its answer that makes it enough. */
export interface HoldSize {
  readonly amountNanos: Nanos;
  /** The most that each choice is reckoned to have. */
  readonly outputTokens: number;
  /** The limit to put to the upstream, where the caller's own is none or is higher. */
  readonly maxTokens: number | undefined;
  /** Whether the answer is held shorter than it could be, because it could not be paid for. */
  readonly isShortened: boolean;
}

/**
 * Reckoned for a model whose longest answer nobody has declared. Such a model is not told of any limit unless credit is short:
 * one above its own maximum would be refused, one below would cut its answers.
 */
const ASSUMED_MAX_OUTPUT = 16_384;

/**
 * No text has more tokens than bytes, and the format around each message has more bytes than models add tokens for it. Media count for the
 * same as in an estimate.
 */
export function sizeOf(chat: ChatRequest, prompt: PromptSize, model: Model): RequestSize {
  const { n } = chat.outline as Record<string, number | null | undefined>;
  return {
    inputTokens: withinWindow(prompt.textBytes + prompt.mediaTokens, model),
    choices: n ?? 1,
    wantedOutput: wantedOutputOf(chat),
  };
}

/** The tokens of a prompt, for where the upstream does not count them. */
export function promptEstimateOf({ textBytes, mediaTokens }: PromptSize, model: Model): number {
  return withinWindow(estimateTokens(textBytes) + mediaTokens, model);
}

/** By both names, the higher counts: nobody knows which of them the upstream goes by. */
export function wantedOutputOf({ outline }: ChatRequest): number | undefined {
  const { max_tokens: oldName, max_completion_tokens: newName } = outline as Record<string, number | null | undefined>;
  const wanted = Math.max(newName ?? 0, oldName ?? 0);
  return wanted > 0 ? wanted : undefined;
}

function withinWindow(tokens: number, { contextWindow }: Model): number {
  return Math.min(tokens, contextWindow ?? tokens);
}

/** The hold that a request should have, if there is enough. */
export function fullHold(size: RequestSize, model: Model, price: Price): HoldSize {
  const { wantedOutput } = size;
  const declared = model.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const outputTokens = Math.min(wantedOutput ?? model.maxOutputTokens ?? ASSUMED_MAX_OUTPUT, declared);
  const amountNanos = amountFor(size, outputTokens, price);
  const isToBeTold = amountNanos > 0n && Number.isFinite(declared) && outputTokens !== wantedOutput;
  return { amountNanos, outputTokens, maxTokens: isToBeTold ? outputTokens : undefined, isShortened: false };
}

/** The same with a shorter answer, so that it costs at most so much. Undefined where not even one token of it fits. */
export function shortened(hold: HoldSize, size: RequestSize, price: Price, roomNanos: Nanos): HoldSize | undefined {
  const outputTokens = Math.min(hold.outputTokens, affordableMaxTokens(roomNanos, size, price));
  if (outputTokens < 1) return undefined;
  if (outputTokens === hold.outputTokens) return hold;
  return { amountNanos: amountFor(size, outputTokens, price), outputTokens, maxTokens: outputTokens, isShortened: true };
}

/** The highest `max_tokens` that an amount pays for. */
export function affordableMaxTokens(amount: Nanos, size: RequestSize, price: Price): number {
  return Math.floor(affordableOutput(amount, size.inputTokens, price) / size.choices);
}

function amountFor(size: RequestSize, outputTokens: number, price: Price): Nanos {
  return highestCost(size.inputTokens, outputTokens * size.choices, price);
}
