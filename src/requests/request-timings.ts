import type { EndedRequest } from "./request-notes.ts";

/** The timings of a request, in milliseconds. A timing that does not apply is undefined. */
export interface RequestTimings {
  readonly durationMs: number;
  /** Time to first token of a stream. */
  readonly firstTokenMs: number | undefined;
  /** Time per output token after the first, for a complete stream. */
  readonly perTokenMs: number | undefined;
  /** The gateway's overhead: without the upload of the request and the time spent waiting for upstreams. */
  readonly overheadMs: number | undefined;
}

export function timingsOf(ended: EndedRequest): RequestTimings {
  const { startedAt, endedAt, notes } = ended;
  const { isStream, begunAt } = notes;
  return {
    durationMs: endedAt - startedAt,
    firstTokenMs: isStream && begunAt !== undefined ? begunAt - startedAt : undefined,
    perTokenMs: perTokenMs(ended),
    overheadMs: overheadMs(ended),
  };
}

function perTokenMs({ endedAt, notes: { isStream, begunAt, charge, end } }: EndedRequest): number | undefined {
  const tokens = charge?.usage.completionTokens ?? 0;
  return isStream && end === "complete" && begunAt !== undefined && tokens > 1 ? (endedAt - begunAt) / (tokens - 1) : undefined;
}

/**
 * Measured up to the head of the reply, because the rest depends on the client's speed. Undefined if the head was sent before a slow
 * response.
 */
function overheadMs({ notes: { attempts, receivedAt, begunAt, repliedAt } }: EndedRequest): number | undefined {
  const first = attempts[0];
  if (!first || receivedAt === undefined || begunAt === undefined || repliedAt === undefined || repliedAt < begunAt) return undefined;
  return first.startedAt - receivedAt + (repliedAt - begunAt);
}
