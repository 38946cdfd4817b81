import type { Model } from "../../models/catalog.ts";
import { countTokens, type ReceivedUsage, type CountedUsage, type Usage } from "../../money/usage.ts";
import type { PromptSize } from "./prompt-size.ts";
import type { Nanos } from "../../money/money.ts";
import type { Price } from "../../money/price.ts";
import type { FallbackCondition } from "../../models/fallbacks.ts";

/** The price and the size of a prompt. */
export interface PromptTerms {
  readonly price: Price;
  /** The prompt tokens to charge if the upstream does not count them. */
  readonly promptEstimate: number;
  /** How the tokens of the prompt's media were estimated; undefined if it has no media. */
  readonly promptDerivation: string | undefined;
  /** The prompt tokens that the hold pays for, and the most that an upstream may plausibly count. */
  readonly maxInputTokens: number;
  readonly plausibleInputTokens: number;
}

/** The terms on which one model serves a request. */
export interface ServingTerms extends PromptTerms {
  readonly model: Model;
  /** The number of choices; each may have `maxOutputTokens`. */
  readonly choices: number;
  /** The `max_tokens` to send upstream, if it differs from the client's. */
  readonly maxTokens: number | undefined;
  /** The output tokens that the hold pays for, for each choice. */
  readonly maxOutputTokens: number;
}

/** A model that may serve a request instead of the requested one, with its own cost bound. */
export interface FallbackCandidate extends ServingTerms {
  readonly on: readonly FallbackCondition[];
  /** The most that the request can cost with this model. */
  readonly amountNanos: Nanos;
  /** Whether the output is shortened because the headroom does not pay for more. */
  readonly isShortened: boolean;
}

/** What a provider may add to a prompt: its chat template, descriptions of tools, instructions, search results. */
const ADDED_INPUT_TOKENS = 16_384;

/** The largest context windows. A prompt with media may fill them: the length of a video at a URL is not known. */
const MEDIA_INPUT_TOKENS = 2_000_000;

/** Reasoning tokens, for each choice, that a server does not count against `max_tokens`. The largest thinking budgets are this high. */
const HIDDEN_OUTPUT_TOKENS = 131_072;

type Terms = Pick<ServingTerms, "maxInputTokens" | "plausibleInputTokens" | "maxOutputTokens" | "choices">;

/** The most prompt tokens that are plausible for the request. */
export function plausibleInputOf({ textBytes, mediaTokens }: PromptSize, { contextWindow }: Model): number {
  const media = mediaTokens > 0 ? Math.max(mediaTokens, MEDIA_INPUT_TOKENS) : 0;
  return Math.min(textBytes + media, contextWindow ?? Number.POSITIVE_INFINITY) + ADDED_INPUT_TOKENS;
}

/**
 * The counts to charge: the upstream's counts, with an estimate for whatever they do not cover. Counts that are too high for the request
 * are an error of the upstream, or fraud: the bound, which the hold pays for, is charged instead. Estimates need no such check, because
 * they are made from received text.
 */
export function countUsage(received: ReceivedUsage, terms: Terms, isWhole: boolean, promptEstimate: number): CountedUsage {
  const counted = countTokens(received, promptEstimate, isWhole);
  if (!received.usage) return counted;
  const isInputPlausible = received.usage.promptTokens <= terms.plausibleInputTokens;
  const isOutputPlausible = received.usage.completionTokens <= (terms.maxOutputTokens + HIDDEN_OUTPUT_TOKENS) * terms.choices;
  if (isInputPlausible && isOutputPlausible) return counted;
  const input = isInputPlausible ? counted.usage : { promptTokens: terms.maxInputTokens, cachedTokens: 0, cacheWriteTokens: 0 };
  const output = isOutputPlausible ? counted.usage : { completionTokens: maxOutputOf(terms), reasoningTokens: 0 };
  return { usage: toUsage(input, output), provenance: "estimated", isBounded: true };
}

/**
 * The counts to charge for a call that was cancelled before the upstream had counted its output. Some of the output may be hidden, so the
 * charge covers all the output that the hold pays for. If the received counts cover the received text, the upstream counts while it
 * streams, hidden output included, and its counts are charged.
 */
export function countInterruptedCall(received: ReceivedUsage, terms: Terms & Pick<ServingTerms, "promptEstimate">): CountedUsage {
  const counted = countUsage(received, terms, false, terms.promptEstimate);
  const isCounted = received.usage !== undefined && received.uncountedBytes === 0 && !received.isOutputUncounted;
  if (isCounted || counted.isBounded) return counted;
  const completionTokens = Math.max(counted.usage.completionTokens, maxOutputOf(terms));
  return { usage: { ...counted.usage, completionTokens }, provenance: "estimated" };
}

function maxOutputOf({ maxOutputTokens, choices }: Terms): number {
  return maxOutputTokens * choices;
}

function toUsage(
  { promptTokens, cachedTokens, cacheWriteTokens }: Pick<Usage, "promptTokens" | "cachedTokens" | "cacheWriteTokens">,
  { completionTokens, reasoningTokens }: Pick<Usage, "completionTokens" | "reasoningTokens">,
): Usage {
  return { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens };
}
