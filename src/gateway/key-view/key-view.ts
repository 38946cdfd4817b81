import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { availableCredit } from "../../money/credit-line.ts";
import { capHeadrooms } from "../../money/headroom.ts";
import { formatDollars } from "../../money/money.ts";
import * as declaredLimits from "../../money/declared-limits.ts";
import type { CapPeriod, Caps } from "../../money/limits.ts";
import type { Spender } from "../../money/tally.ts";
import type { LoggedRequest } from "../../requests/logged-request.ts";
import { learnLimits, limitScopes } from "../admission/rate-limits.ts";
import type { Gateway } from "../gateway.ts";
import type { KeyFigures } from "./key-records.ts";
import { viewLimits } from "./limit-view.ts";
import { takeUsageReport } from "./usage-limit.ts";
import { viewUsage } from "./usage-view.ts";

const RECENT_REQUESTS = 20;

/** What the holder of a key sees of it, and of nothing else. Throws a 429 where that was asked for too often. */
export async function viewKey(caller: KeyRecord, gateway: Gateway): Promise<Record<string, unknown>> {
  await takeUsageReport("usage", caller, gateway);
  const account = gateway.accountOf(caller);
  const nowMs = gateway.nowMs();
  const scopes = limitScopes(caller, account);
  const [figures] = await Promise.all([gateway.keyRecords.read(caller, RECENT_REQUESTS, nowMs), learnLimits(scopes, gateway)]);
  const { creditNanos, heldNanos } = figures.balance;
  return {
    as_of: new Date(nowMs).toISOString(),
    key: { id: caller.id, name: caller.name, expires_at: viewTime(caller.expiresAtMs) },
    ...viewUsage(figures),
    credit: account.showCredit ? declaredLimits.viewDollars(availableCredit(creditNanos, heldNanos, account.creditLine)) : null,
    caps: viewCaps(caller, account, figures, nowMs),
    limits: viewLimits(gateway.limits.state(scopes, gateway.monotonicMs())),
    settings: { key: viewSettings(caller), account: account.showCredit ? viewSettings(account) : null },
    concurrent_requests: fewer(caller.limits.concurrentRequests, account.limits.concurrentRequests),
    recent_requests: figures.recent.map(viewRequest),
  };
}

/** As they are set, with those of each end user and tag, whose states the holder of the key does not see. */
function viewSettings({ limits, caps }: Pick<Account, "limits" | "caps">): object {
  return { limits: declaredLimits.viewLimits(limits), caps: declaredLimits.viewCaps(caps) };
}

/** The account's caps show what other keys spend, as its credit does. */
function viewCaps(caller: KeyRecord, account: Account, { spending }: KeyFigures, nowMs: number): object[] {
  const rooms = (scope: Spender, id: string, caps: Caps): object[] =>
    capHeadrooms({ scope, id }, caps, spending[scope], nowMs).map(({ spendLimit, leftNanos, resetsAtMs }) => {
      const period = spendLimit!.what as CapPeriod;
      const cap = formatDollars(caps[`${period}Nanos`]!);
      return { scope, period, cap, remaining: formatDollars(leftNanos), resets_at: viewTime(resetsAtMs ?? null) };
    });
  return [...rooms("key", caller.id, caller.caps), ...(account.showCredit ? rooms("account", account.id, account.caps) : [])];
}

/** Without what is for operators alone: the upstream, the attempts and the details of errors. */
function viewRequest(request: LoggedRequest): object {
  const { usage, costNanos } = request;
  return {
    request_id: request.requestId,
    ended_at: viewTime(request.endedAtMs),
    model: request.model,
    stream: request.isStream,
    status: request.status,
    outcome: request.outcome,
    code: request.code,
    prompt_tokens: usage?.promptTokens ?? null,
    completion_tokens: usage?.completionTokens ?? null,
    cost: costNanos === null ? null : formatDollars(costNanos),
    duration_ms: request.durationMs,
  };
}

function viewTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function fewer(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
