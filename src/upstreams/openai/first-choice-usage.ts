import { isObject } from "../../lib/schema/schema.ts";
import { BYTES_PER_TOKEN, type Counted, type Usage } from "../../money/usage.ts";
import type { UpstreamCall } from "../upstream.ts";
import type { ReceivedText } from "./received-text.ts";

/** One of several choices: what its tokens are estimated from. */
export interface ReceivedChoice {
  readonly finishReason: unknown;
  readonly received: ReceivedText;
}

/**
 * llama.cpp sends `n` choices with the usage and the timings of the first one only
 * (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-context.cpp): `predicted_n` is the first choice's token count.
 */
export function countsFirstChoice({ timings }: Readonly<Record<string, unknown>>, { completionTokens }: Usage): boolean {
  return isObject(timings) && timings["predicted_n"] === completionTokens;
}

/**
 * Derives the counts of all choices from those of the first. If the first reached the token limit, every other choice that finished with
 * `length` has reached it too; the rest are estimated, up to the limit.
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

/** The max output tokens of a choice: the gateway's limit, or else the caller's. */
export function limitOf({ maxTokens, chat: { outline } }: Pick<UpstreamCall, "maxTokens" | "chat">): number {
  const { max_tokens: oldName, max_completion_tokens: newName } = outline as Record<string, number | null | undefined>;
  return maxTokens ?? (Math.max(oldName ?? 0, newName ?? 0) || Number.POSITIVE_INFINITY);
}
