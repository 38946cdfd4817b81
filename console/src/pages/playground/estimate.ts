import type { Model } from "../../platform/interface.ts";
import type { Usage } from "./chunk.ts";

type Price = NonNullable<Model["price"]>;

/** As the gateway reckons where nobody counts: a token for each four bytes. */
const BYTES_FOR_TOKEN = 4;
/** Of a picture, roughly: providers count hundreds to a few thousand. */
const TOKENS_FOR_PICTURE = 1000;

/** How many tokens a question has, before anybody has counted them. */
export function estimatePrompt(body: Readonly<Record<string, unknown>>): number {
  let pictures = 0;
  const text = JSON.stringify(body["messages"] ?? [], (name, value: unknown) => {
    if (name !== "image_url") return value;
    pictures++;
    return undefined;
  });
  return Math.ceil(new TextEncoder().encode(text).length / BYTES_FOR_TOKEN) + pictures * TOKENS_FOR_PICTURE;
}

export function estimateAnswer(saidBytes: number): number {
  return Math.ceil(saidBytes / BYTES_FOR_TOKEN);
}

/** What so many tokens cost at most, in dollars: nothing is known yet of what was cached. */
export function costOf(price: Price, { promptTokens, completionTokens }: Usage): string {
  const tier = price.tiers.findLast(({ above_input_tokens: above }) => above !== undefined && promptTokens > above);
  const input = tier?.input_per_million ?? price.input_per_million;
  const output = tier?.output_per_million ?? price.output_per_million;
  return ((promptTokens * input + completionTokens * output) / 1_000_000).toFixed(9);
}

/** Less is no measure of speed: all of it came at once. */
const SHORTEST_MS = 20;

/** From the first token to the last: how long the first one took is told by itself. */
export function tokensPerSecond(tokens: number, firstTokenAtMs: number | null, untilMs: number): number | null {
  if (firstTokenAtMs === null || tokens < 2 || untilMs - firstTokenAtMs < SHORTEST_MS) return null;
  return (tokens - 1) / ((untilMs - firstTokenAtMs) / 1000);
}
