/** One of the two responses to a mirrored request. Fields that are not known are null. */
export interface ComparedResponse {
  /** The HTTP status that a caller receives for the response. */
  readonly status: number;
  /** Null if the response has none, such as a stream that broke off. */
  readonly finishReason: string | null;
  /** The token counts, as counted by the upstream. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Time to first byte of a stream, from the start of the call. */
  readonly firstByteMs: number | null;
  /** From the start of the call to the end of the response. */
  readonly durationMs: number;
}

/** The response of a mirror, next to the response that the caller received. */
export interface MirrorResult {
  readonly requestId: string;
  readonly model: string;
  readonly upstream: string;
  readonly upstreamModel: string;
  /** The caller's response, from the last attempt. */
  readonly response: ComparedResponse;
  readonly mirror: ComparedResponse;
  /** Why the mirror failed; null if it succeeded. */
  readonly detail: string | null;
}

/** The results of one model, aggregated. Shares are fractions of all results; a median is null if no result has both values. */
interface MirrorSummary {
  readonly requests: number;
  readonly sameStatus: number;
  /** The number of results with a finish reason on either side. */
  readonly finished: number;
  readonly sameFinishReason: number;
  /** Medians of the mirror's value divided by the caller's. */
  readonly promptTokenRatio: number | null;
  readonly completionTokenRatio: number | null;
  readonly firstByteRatio: number | null;
  readonly durationRatio: number | null;
}

export function summarizeMirror(results: readonly MirrorResult[]): MirrorSummary {
  const finished = results.filter(({ response, mirror }) => response.finishReason !== null || mirror.finishReason !== null);
  return {
    requests: results.length,
    sameStatus: results.filter(({ response, mirror }) => response.status === mirror.status).length,
    finished: finished.length,
    sameFinishReason: finished.filter(({ response, mirror }) => response.finishReason === mirror.finishReason).length,
    promptTokenRatio: medianRatio(results, ({ promptTokens }) => promptTokens),
    completionTokenRatio: medianRatio(results, ({ completionTokens }) => completionTokens),
    firstByteRatio: medianRatio(results, ({ firstByteMs }) => firstByteMs),
    // A failure may be immediate, so only responses with the same outcome are comparable.
    durationRatio: medianRatio(
      results.filter(({ response, mirror }) => response.status === 200 && mirror.status === 200),
      ({ durationMs }) => durationMs,
    ),
  };
}

function medianRatio(results: readonly MirrorResult[], valueOf: (response: ComparedResponse) => number | null): number | null {
  const ratios = results.flatMap(({ response, mirror }) => {
    const [theirs, ours] = [valueOf(mirror), valueOf(response)];
    return theirs === null || ours === null || ours === 0 ? [] : [theirs / ours];
  });
  if (ratios.length === 0) return null;
  const sorted = ratios.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const median = Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!;
  return Math.round(median * 1000) / 1000;
}
