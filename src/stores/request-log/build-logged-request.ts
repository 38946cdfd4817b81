import type { Attempt } from "../../requests/attempt.ts";
import type { LoggedAttempt, LoggedRequest } from "../../requests/logged-request.ts";
import { outcomeOf } from "../../requests/outcome-of.ts";
import { attributionAt, type EndedRequest } from "../../requests/request-notes.ts";
import { timingsOf } from "../../requests/request-timings.ts";

/** The length at which texts are truncated. */
const MAX_DETAIL_LENGTH = 500;

/** Builds the record of a request that has ended. All texts of callers and upstreams go through `redactSecrets`. */
export function buildLoggedRequest(ended: EndedRequest, redactSecrets: (text: string) => string): LoggedRequest {
  const { notes, startedAt, endedAtMs } = ended;
  const { charge, attempts } = notes;
  const redacted = (text: string | undefined): string | null =>
    text === undefined ? null : redactSecrets(text).slice(0, MAX_DETAIL_LENGTH);
  const { durationMs, firstTokenMs, overheadMs } = timingsOf(ended);
  return {
    requestId: ended.requestId,
    startedAtMs: startOf(endedAtMs, rounded(durationMs)),
    endedAtMs,
    keyId: notes.keyId ?? null,
    accountId: notes.accountId ?? null,
    model: redacted(notes.requestedModel),
    isStream: notes.isStream,
    status: ended.status,
    outcome: outcomeOf(ended),
    code: notes.code ?? null,
    param: redacted(notes.param),
    detail: redacted(notes.detail),
    upstream: charge?.upstream ?? attempts.at(-1)?.upstream ?? null,
    attempts: attempts.map((attempt) => toLoggedAttempt(attempt, startedAt, redacted)),
    usage: charge?.usage ?? null,
    provenance: charge?.provenance ?? null,
    costNanos: charge?.amountNanos ?? null,
    durationMs: rounded(durationMs),
    firstTokenMs: firstTokenMs === undefined ? null : rounded(firstTokenMs),
    overheadMs: overheadMs === undefined ? null : rounded(overheadMs),
    requestBytes: notes.requestBytes,
    replyBytes: notes.replyBytes,
    client: redacted(ended.client),
    traceId: notes.traceId ?? null,
    attribution: notes.attribution ?? attributionAt(ended.path) ?? null,
  };
}

/** The start by the wall clock, which may have been adjusted meanwhile. */
export function startOf(endedAtMs: number, durationMs: number): number {
  return Math.round(endedAtMs - durationMs);
}

function toLoggedAttempt(attempt: Attempt, requestAt: number, redacted: (text: string | undefined) => string | null): LoggedAttempt {
  const { upstream, upstreamModel, startedAt, durationMs, outcome, detail, fallback } = attempt;
  const logged = {
    upstream,
    upstreamModel,
    startedMs: rounded(startedAt - requestAt),
    durationMs: durationMs === undefined ? null : rounded(durationMs),
    outcome: outcome ?? null,
    detail: redacted(detail),
  };
  return fallback === undefined ? logged : { ...logged, fallback };
}

/** Milliseconds, rounded to the microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
