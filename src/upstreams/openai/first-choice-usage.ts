import { isObject } from "../../lib/schema/schema.ts";
import { BYTES_PER_TOKEN, type Counted, type Usage } from "../../money/usage.ts";
import type { UpstreamCall } from "../upstream.ts";
import type { ReceivedText } from "./received-text.ts";

/** One of several choices, as far as the number of its tokens can be told from it. */
export interface ReceivedChoice {
  readonly finishReason: unknown;
  readonly received: ReceivedText;
}

/**
 * llama.cpp answers `n` choices with the usage and the timings of the first, to which it adds the others
 * (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-context.cpp): `predicted_n` is what that one choice has.
 */
export function countsFirstChoice({ timings }: Readonly<Record<string, unknown>>, { completionTokens }: Usage): boolean {
  return isObject(timings) && timings["predicted_n"] === completionTokens;
}

/**
 * The counts of all choices, from those of the first. Where the first has as many tokens as the limit allows, every other that ended by
 * `length` has as many too; the rest are estimated, up to the limit.
 */
export function withOtherChoices(usage: Usage, others: readonly ReceivedChoice[], limit: number): Counted {
  let { completionTokens } = usage;
  const isLimitReached = completionTokens === limit;
  let uncountedBytes = 0;
  for (const { finishReason, received } of others) {
    if (isLimitReached && finishReason === "length") completionTokens += limit;
    else uncountedBytes += Math.min(received.bytes, limit * BYTES_PER_TOKEN);
  }
  return { usage: { ...usage, completionTokens }, uncountedBytes };
}

/** The most tokens that a choice can have: our limit, or else the caller's. */
export function limitOf({ maxTokens, chat: { outline } }: Pick<UpstreamCall, "maxTokens" | "chat">): number {
  const { max_tokens: oldName, max_completion_tokens: newName } = outline as Record<string, number | null | undefined>;
  return maxTokens ?? (Math.max(oldName ?? 0, newName ?? 0) || Number.POSITIVE_INFINITY);
}
