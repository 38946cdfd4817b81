import { estimateTokens, type ReceivedUsage, type Usage } from "../../money/usage.ts";
import type { ReceivedText } from "./received-text.ts";

/**
 * The longest token without whitespace, in bytes. Measured over the vocabularies o200k, cl100k, p50k, r50k, Llama 2, Llama 3 and
 * Claude 2: 128 at most. In none of them does a token contain the starts of two words.
 */
const MAX_TOKEN_BYTES = 128;

/**
 * With one choice, only counts that are far too low are replaced. A server may legitimately not count a fixed text, such as a
 * guardrail's refusal, or repeated reasoning; and some servers count the events they send, with several tokens in each.
 */
const FIXED_TEXT_TOKENS = 32;
const TOKENS_PER_COUNT = 8;

/**
 * Whether token counts are lower than any tokenizer could produce for the received text: each word starts a token, and no token exceeds
 * the longest one. This detects servers that count only one of several choices, without false positives for correct counts. Counts that
 * are not below the gateway's estimate are always accepted.
 */
export function isImplausible(completionTokens: number, choices: readonly ReceivedText[]): boolean {
  const least = choices.reduce((sum, received) => sum + fewestTokens(received), 0);
  const unexplained = choices.length === 1 ? (least - FIXED_TEXT_TOKENS) / TOKENS_PER_COUNT : least;
  return completionTokens < unexplained && completionTokens < estimateTokens(bytesIn(choices));
}

export function bytesIn(choices: readonly ReceivedText[]): number {
  return choices.reduce((sum, { bytes }) => sum + bytes, 0);
}

function fewestTokens({ words, nonSpaceBytes, hasMedia }: ReceivedText): number {
  return hasMedia ? words : Math.max(words, Math.ceil(nonSpaceBytes / MAX_TOKEN_BYTES));
}

/** Counts of the prompt only, so that the whole output is estimated. */
export function withOutputEstimated(usage: Usage, choices: readonly ReceivedText[]): ReceivedUsage {
  return { usage: { ...usage, completionTokens: 0, reasoningTokens: 0 }, uncountedBytes: bytesIn(choices) };
}
