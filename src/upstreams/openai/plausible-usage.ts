import { estimateTokens, type Counted, type Usage } from "../../money/usage.ts";
import type { ReceivedText } from "./received-text.ts";

/**
 * The longest token that is not white space, in bytes. Measured over the vocabularies o200k, cl100k, p50k, r50k, Llama 2, Llama 3 and
 * Claude 2: 128 at most. In none of them does a token hold the beginnings of two words.
 */
const LONGEST_TOKEN_BYTES = 128;

/**
 * Where there is one choice, counts are only replaced that are out of all proportion. A server may rightly not count a fixed text, such as a
 * guardrail's refusal, nor reasoning that it sends a second time; and some count the events they send, with several tokens in each.
 */
const FIXED_TEXT_TOKENS = 32;
const TOKENS_PER_COUNT = 8;

/**
 * Whether token counts are below what any tokenizer can have made of the text received: each word begins a token, and no token is longer
 * than the longest. Servers that count one of several choices are found this way, and honest ones never. Counts that are no lower than
 * our estimate are always believed.
 */
export function isImplausible(completionTokens: number, choices: readonly ReceivedText[]): boolean {
  const least = choices.reduce((sum, received) => sum + fewestTokens(received), 0);
  const unexplained = choices.length === 1 ? (least - FIXED_TEXT_TOKENS) / TOKENS_PER_COUNT : least;
  return completionTokens < unexplained && completionTokens < estimateTokens(bytesIn(choices));
}

export function bytesIn(choices: readonly ReceivedText[]): number {
  return choices.reduce((sum, { bytes }) => sum + bytes, 0);
}

function fewestTokens({ words, inkBytes, hasMedia }: ReceivedText): number {
  return hasMedia ? words : Math.max(words, Math.ceil(inkBytes / LONGEST_TOKEN_BYTES));
}

/** Counts of the prompt alone, with all of the answer left to be estimated. */
export function withOutputEstimated(usage: Usage, choices: readonly ReceivedText[]): Counted {
  return { usage: { ...usage, completionTokens: 0, reasoningTokens: 0 }, uncountedBytes: bytesIn(choices) };
}
