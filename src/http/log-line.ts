import type { Attempt } from "../vocabulary/attempt.ts";
import { formatDollars } from "../vocabulary/money.ts";
import type { EndedRequest, RequestObserver } from "../vocabulary/request-notes.ts";
import type { Facts, Log } from "./log.ts";

/** Writes one line for each request that has ended. Probes are left out while they succeed. */
export function logRequests(log: Log): RequestObserver {
  return (ended) => {
    if (!ended.isProbe || ended.status >= 300) log.write(factsOf(ended));
  };
}

function factsOf({ listener, method, path, requestId, status, startedAt, endedAt, notes }: EndedRequest): Facts {
  const { charge, attempts } = notes;
  return {
    listener,
    method,
    path,
    status,
    duration_ms: Math.round(endedAt - startedAt),
    request_id: requestId,
    actor: notes.actor,
    key: notes.keyId,
    account: notes.accountId,
    model: notes.askedFor,
    dry_run: notes.isDryRun || undefined,
    cache: notes.cache,
    replayed: notes.replayed,
    upstream: attempts.at(-1)?.upstream,
    failed_attempts: failuresIn(attempts),
    prompt_tokens: charge?.usage.promptTokens,
    completion_tokens: charge?.usage.completionTokens,
    provenance: charge?.provenance,
    cost: charge && formatDollars(charge.amountNanos),
    end: notes.end,
    code: notes.code,
    param: notes.param,
    detail: notes.detail,
  };
}

/** Most requests have none. */
function failuresIn(attempts: readonly Attempt[]): string | undefined {
  const failed = attempts.filter(({ detail }) => detail !== undefined);
  return failed.length === 0 ? undefined : failed.map(({ upstream, outcome }) => `${upstream}: ${outcome}`).join(", ");
}
