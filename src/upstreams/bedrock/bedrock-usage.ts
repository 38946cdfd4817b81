import { isObject } from "../../lib/schema/schema.ts";
import { NO_PREMIUM, usageFromWire, type Usage } from "../../money/usage.ts";
import { isOpenai } from "../../models/parameters/bedrock-models.ts";
import type { StreamedCall } from "../upstream.ts";

/** The token counts of a JSON response. `inputTokens` excludes cache reads and cache writes. */
export function readUsage(wire: unknown, call: Pick<StreamedCall, "report">): Usage | undefined {
  const counts = countsIn(wire);
  if (!counts) {
    call.report(wire === undefined ? "usage_missing" : "usage_malformed");
    return undefined;
  }
  return toUsage(counts, counts.input + counts.cacheRead + counts.cacheWrite);
}

/**
 * The token counts of a stream. For OpenAI's models, `inputTokens` in streams has been observed to include the cached tokens, which are
 * then in `totalTokens` twice: https://github.com/maximhq/bifrost/issues/6942. If they may be included, they are assumed to be, so that
 * nobody is charged for them twice.
 */
export function readStreamUsage(wire: unknown, call: StreamedCall): Usage | undefined {
  const counts = countsIn(wire);
  const cached = counts ? counts.cacheRead + counts.cacheWrite : 0;
  if (!counts || cached === 0 || counts.input < cached || !isOpenai(call.upstreamModel)) return readUsage(wire, call);
  call.report("usage_malformed");
  return toUsage(counts, counts.input);
}

interface Counts {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that is kept for an hour. */
  readonly hourWrite: number;
  readonly output: number;
}

function countsIn(wire: unknown): Counts | undefined {
  if (!isObject(wire)) return undefined;
  const { inputTokens: input, outputTokens: output, cacheReadInputTokens: read, cacheWriteInputTokens: write } = wire;
  if (!isCount(input) || !isCount(output)) return undefined;
  const hourWrite = hourWritesIn(wire["cacheDetails"]);
  return { input, cacheRead: isCount(read) ? read : 0, cacheWrite: isCount(write) ? write : 0, hourWrite, output };
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CacheDetail.html */
function hourWritesIn(details: unknown): number {
  if (!Array.isArray(details)) return 0;
  const counts = details.map((detail) => (isObject(detail) && detail["ttl"] === "1h" ? detail["inputTokens"] : 0));
  return counts.filter(isCount).reduce((sum, count) => sum + count, 0);
}

function toUsage({ cacheRead, cacheWrite, hourWrite, output }: Counts, promptTokens: number): Usage | undefined {
  const usage = usageFromWire({
    prompt_tokens: promptTokens,
    completion_tokens: output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  });
  if (!usage || hourWrite === 0) return usage;
  return { ...usage, premium: { ...NO_PREMIUM, hourWriteTokens: Math.min(hourWrite, usage.cacheWriteTokens) } };
}

function isCount(count: unknown): count is number {
  return Number.isSafeInteger(count) && (count as number) >= 0;
}
