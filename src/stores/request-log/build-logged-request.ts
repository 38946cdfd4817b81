import type { Attempt } from "../../requests/attempt.ts";
import type { LoggedAttempt, LoggedRequest } from "../../requests/logged-request.ts";
import { outcomeOf } from "../../requests/outcome-of.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import { timingsOf } from "../../requests/request-timings.ts";

/** As much as is kept of what upstreams say. */
const MAX_DETAIL_LENGTH = 500;

/** What the log keeps of a request that has ended. Whatever callers and upstreams have put into words goes through `hideSecrets`. */
export function buildLoggedRequest(ended: EndedRequest, hideSecrets: (text: string) => string): LoggedRequest {
  const { notes, startedAt, endedAtMs } = ended;
  const { charge, attempts } = notes;
  const words = (text: string | undefined): string | null => (text === undefined ? null : hideSecrets(text).slice(0, MAX_DETAIL_LENGTH));
  const { durationMs, firstTokenMs, overheadMs } = timingsOf(ended);
  return {
    requestId: ended.requestId,
    startedAtMs: startOf(endedAtMs, rounded(durationMs)),
    endedAtMs,
    keyId: notes.keyId ?? null,
    accountId: notes.accountId ?? null,
    model: words(notes.askedFor),
    isStream: notes.isStream,
    status: ended.status,
    outcome: outcomeOf(ended),
    code: notes.code ?? null,
    param: words(notes.param),
    detail: words(notes.detail),
    upstream: charge?.upstream ?? attempts.at(-1)?.upstream ?? null,
    attempts: attempts.map((attempt) => toLoggedAttempt(attempt, startedAt, words)),
    usage: charge?.usage ?? null,
    provenance: charge?.provenance ?? null,
    costNanos: charge?.amountNanos ?? null,
    durationMs: rounded(durationMs),
    firstTokenMs: firstTokenMs === undefined ? null : rounded(firstTokenMs),
    overheadMs: overheadMs === undefined ? null : rounded(overheadMs),
    requestBytes: notes.requestBytes,
    replyBytes: notes.replyBytes,
    client: words(ended.client),
    traceId: notes.traceId ?? null,
  };
}

/** By the clock on the wall, which may have been put right meanwhile. */
export function startOf(endedAtMs: number, durationMs: number): number {
  return Math.round(endedAtMs - durationMs);
}

function toLoggedAttempt(attempt: Attempt, requestAt: number, words: (text: string | undefined) => string | null): LoggedAttempt {
  const { upstream, upstreamModel, startedAt, durationMs, outcome, detail } = attempt;
  return {
    upstream,
    upstreamModel,
    startedMs: rounded(startedAt - requestAt),
    durationMs: durationMs === undefined ? null : rounded(durationMs),
    outcome: outcome ?? null,
    detail: words(detail),
  };
}

/** Milliseconds to the microsecond: more is noise. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
