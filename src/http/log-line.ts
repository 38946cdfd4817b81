import type { Attempt } from "../requests/attempt.ts";
import type { LogLevel } from "../lib/log/log-level.ts";
import { formatDollars } from "../money/money.ts";
import { CALLER_GONE_STATUS, outcomeOf } from "../requests/outcome-of.ts";
import type { EndedRequest, RequestObserver } from "../requests/request-notes.ts";
import { timingsOf } from "../requests/request-timings.ts";
import type { LogFields } from "../lib/log/log-format.ts";
import type { Log } from "../lib/log/log.ts";

const NOT_MODIFIED_STATUS = 304;

/** Logs one line for each completed request. Successful probes are not logged. */
export function logRequests(log: Log): RequestObserver {
  const isDebugging = log.isEnabled("debug");
  const toFields = (ended: EndedRequest): LogFields => fieldsOf(ended, isDebugging);
  return (ended) => {
    if (ended.isProbe && ended.status < 300) return;
    if (log.isEnabled(levelOf(ended))) log.writeLazily(ended, toFields);
  };
}

/** Rejected requests (no key, a limit) are `info`: operators need not act. Internal failures are `error`, upstream failures `warn`. */
function levelOf(ended: EndedRequest): LogLevel {
  if (ended.notes.code === "internal_error") return "error";
  if (outcomeOf(ended) === "failed") return "warn";
  return isPlainRead(ended) ? "debug" : "info";
}

/**
 * Whether a request is a successful read on the platform, which is logged only for debugging: open console pages poll every few seconds,
 * and would drown out other requests. A redirect does not count as a read: an OpenID provider signs people in by a redirect.
 */
function isPlainRead({ listener, method, status }: EndedRequest): boolean {
  return listener === "platform" && method === "GET" && (status < 300 || status === NOT_MODIFIED_STATUS || status === CALLER_GONE_STATUS);
}

function fieldsOf(ended: EndedRequest, isDebugging: boolean): LogFields {
  const { listener, method, path, requestId, status, client, notes } = ended;
  const { charge, attempts } = notes;
  const { durationMs, firstTokenMs } = timingsOf(ended);
  return {
    level: levelOf(ended),
    listener,
    method,
    path,
    status,
    duration_ms: Math.round(durationMs),
    first_token_ms: firstTokenMs === undefined ? undefined : Math.round(firstTokenMs),
    request_id: requestId,
    trace_id: notes.trace?.traceId,
    actor: notes.actor,
    key: notes.keyId,
    account: notes.accountId,
    model: notes.requestedModel,
    answered_by: notes.fallback?.model,
    fallback: notes.fallback?.reason,
    dry_run: notes.isDryRun || undefined,
    cache: notes.cache,
    replayed: notes.replayed,
    upstream: attempts.at(-1)?.upstream,
    attempts: attempts.length > 1 ? attempts.length : undefined,
    failed_attempts: failuresIn(attempts),
    prompt_tokens: charge?.usage.promptTokens,
    completion_tokens: charge?.usage.completionTokens,
    provenance: charge?.provenance,
    cost: charge && formatDollars(charge.amountNanos),
    end: notes.end,
    code: notes.code,
    param: notes.param,
    detail: notes.detail,
    client: isDebugging ? client : undefined,
  };
}

/** The failed attempts, as `upstream: outcome`; undefined for most requests. */
function failuresIn(attempts: readonly Attempt[]): string | undefined {
  if (!attempts.some(({ detail }) => detail !== undefined)) return undefined;
  const failed = attempts.filter(({ detail }) => detail !== undefined);
  return failed.map(({ upstream, outcome }) => `${upstream}: ${outcome}`).join(", ");
}
