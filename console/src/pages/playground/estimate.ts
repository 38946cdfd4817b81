import type { Model } from "../../../../platform-client/types.ts";
import type { Usage } from "./response/chunk.ts";

type Price = NonNullable<Model["price"]>;

/** The gateway's estimate if an upstream returns no usage: four bytes per token. */
const BYTES_PER_TOKEN = 4;
/** A rough estimate: providers count hundreds to a few thousand tokens per image. */
const TOKENS_PER_IMAGE = 1000;

/** Estimates the input tokens of a request. */
export function estimatePrompt(body: Readonly<Record<string, unknown>>): number {
  let images = 0;
  const text = JSON.stringify(body["messages"] ?? [], (name, value: unknown) => {
    if (name !== "image_url") return value;
    images++;
    return undefined;
  });
  return Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN) + images * TOKENS_PER_IMAGE;
}

export function estimateCompletion(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The maximum cost in US dollars: the number of cached tokens is not known yet. */
export function costOf(price: Price, { promptTokens, completionTokens }: Usage): string {
  const tier = price.tiers.findLast(({ above_input_tokens: above }) => above !== undefined && promptTokens > above);
  const input = tier?.input_per_million ?? price.input_per_million;
  const output = tier?.output_per_million ?? price.output_per_million;
  return ((promptTokens * input + completionTokens * output) / 1_000_000).toFixed(9);
}

/** A shorter stream has no meaningful rate. */
const MIN_STREAM_MS = 20;

/** The rate from the first token to the last: the time to first token is a separate metric. */
export function tokensPerSecond(tokens: number, firstTokenAtMs: number | null, untilMs: number): number | null {
  if (firstTokenAtMs === null || tokens < 2 || untilMs - firstTokenAtMs < MIN_STREAM_MS) return null;
  return (tokens - 1) / ((untilMs - firstTokenAtMs) / 1000);
}
