import type { EndedRequest } from "./request-notes.ts";

/** How long the parts of a request took, in milliseconds. What did not happen is undefined. */
export interface RequestTimings {
  readonly durationMs: number;
  /** Of a stream: from the request to the first piece of the answer. */
  readonly firstTokenMs: number | undefined;
  /** Of a stream that came whole: for each token after the first. */
  readonly perTokenMs: number | undefined;
  /** What we took ourselves, without the upload of the request and without the waiting for upstreams. */
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

/** Up to the head of the reply: what comes after it goes at the caller's pace. A head that was sent ahead of a slow answer says nothing. */
function overheadMs({ notes: { attempts, receivedAt, begunAt, repliedAt } }: EndedRequest): number | undefined {
  const first = attempts[0];
  if (!first || receivedAt === undefined || begunAt === undefined || repliedAt === undefined || repliedAt < begunAt) return undefined;
  return first.startedAt - receivedAt + (repliedAt - begunAt);
}
