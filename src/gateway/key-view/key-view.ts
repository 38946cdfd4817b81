import * as declaredLimits from "../../money/declared-limits.ts";
import { namesOf } from "../../lib/schema/infer.ts";
import { type PeriodUsage, MAX_VALUES, type KeyFigures } from "./key-records.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { availableCredit } from "../../money/credit-line.ts";
import { capHeadrooms } from "../../money/headroom.ts";
import { formatDollars } from "../../money/money.ts";
import { type CapPeriod, type Caps, CONCURRENCY_AT, readRates, WINDOW_LIMITS } from "../../money/limits.ts";
import type { Spender } from "../../money/tally.ts";
import type { LoggedRequest } from "../../requests/logged-request.ts";
import { fetchLimitStates, limitScopes } from "../admission/rate-limits.ts";
import type { Gateway } from "../gateway.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import type { LimitState, LimitStates, LimitScope } from "../../stores/limits/limit-store.ts";
import type { UsageMeasures } from "../../stores/ledger/ledger-record-store.ts";
import { ApiError, toRetryAfter } from "../../requests/api-error.ts";
import { MAX_TAGS } from "../../money/tag-names.ts";

const RECENT_REQUESTS = 20;

/** The view of a key for its holder, without data of other keys. Throws a 429 if it is requested too often. */
export async function viewKey(caller: KeyRecord, gateway: Gateway): Promise<Record<string, unknown>> {
  await takeUsageReport("usage", caller, gateway);
  const account = gateway.accountOf(caller);
  const nowMs = gateway.nowMs();
  const scopes = limitScopes(caller, account);
  const [figures] = await Promise.all([gateway.keyRecords.read(caller, RECENT_REQUESTS, nowMs), fetchLimitStates(scopes, gateway)]);
  const { creditNanos, heldNanos } = figures.balance;
  return {
    as_of: new Date(nowMs).toISOString(),
    key: { id: caller.id, name: caller.name, expires_at: viewTime(caller.expiresAtMs) },
    ...viewUsage(figures),
    credit: account.showCredit ? declaredLimits.viewDollars(availableCredit(creditNanos, heldNanos, account.creditLine)) : null,
    caps: viewCaps(caller, account, figures, nowMs),
    limits: viewLimits(gateway.limits.state(scopes, gateway.monotonicMs())),
    settings: { key: viewSettings(caller), account: account.showCredit ? viewSettings(account) : null },
    concurrent_requests: lowerOf(caller.limits.amounts[CONCURRENCY_AT]!, account.limits.amounts[CONCURRENCY_AT]!),
    recent_requests: figures.recent.map(viewRequest),
  };
}

/** The limits and caps as configured, including those per end user and tag, whose current states the key holder does not see. */
function viewSettings({ limits, caps }: Pick<Account, "limits" | "caps">): object {
  return { limits: declaredLimits.viewLimits(limits), caps: declaredLimits.viewCaps(caps) };
}

/** The caps of the key, and its account's caps if the account shows its credit: both reveal what other keys spend. */
function viewCaps(caller: KeyRecord, account: Account, { spending }: KeyFigures, nowMs: number): object[] {
  const rooms = (scope: Spender, id: string, caps: Caps): object[] =>
    capHeadrooms({ scope, id }, caps, spending[scope], nowMs).map(({ spendLimit, leftNanos, resetsAtMs }) => {
      const period = spendLimit!.what as CapPeriod;
      const cap = formatDollars(caps[`${period}Nanos`]!);
      return { scope, period, cap, remaining: formatDollars(leftNanos), resets_at: viewTime(resetsAtMs ?? null) };
    });
  return [...rooms("key", caller.id, caller.caps), ...(account.showCredit ? rooms("account", account.id, account.caps) : [])];
}

/** Omits fields that only operators may see: the upstream, the attempts and the details of errors. */
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

function lowerOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

const limitSchema = {
  title: "RateLimitHeadroom",
  type: "object",
  nullable: true,
  description: "The tighter of the key's and the account's limits; null if there is none.",
  required: ["limit", "remaining", "reset_ms"],
  properties: {
    limit: { type: "integer" },
    remaining: { type: "integer" },
    reset_ms: { type: "integer", description: "Milliseconds until the limit is fully replenished." },
  },
} as const satisfies Schema;

const limitProperties = Object.fromEntries(WINDOW_LIMITS.map(({ what }) => [what, limitSchema]));

/** The state of the rate limits. */
export const limitsSchema = {
  title: "RateLimitsHeadroom",
  type: "object",
  required: namesOf(limitProperties),
  properties: limitProperties,
} as const satisfies Schema;

export function viewLimits(states: LimitStates): Record<string, Record<string, number> | null> {
  return Object.fromEntries(WINDOW_LIMITS.map(({ what }) => [what, viewLimit(states[what])]));
}

function viewLimit(state: LimitState | undefined): Record<string, number> | null {
  return state ? { limit: state.limit, remaining: state.remaining, reset_ms: Math.ceil(state.resetMs) } : null;
}

/**
 * The rate limit of usage reports: enough for a page that is refreshed every few seconds. Each report reads the ledger and the request log.
 */
const USAGE_REPORTS_PER_MINUTE = 30;
const USAGE_REPORT_LIMITS = readRates({ requests_per_minute: USAGE_REPORTS_PER_MINUTE });

/**
 * Counts a usage report of this key, separately from its requests, or throws a 429. The count is exact over all processes, like the rate
 * limits of requests. Reports in dry runs are counted separately: a client that makes many dry runs must not use up the reports of its
 * usage page.
 */
export async function takeUsageReport(kind: "usage" | "dry-run", { id }: KeyRecord, { limits, monotonicMs }: Gateway): Promise<void> {
  const scope: LimitScope = { kind: "key", id: `${id}/${kind}`, limits: USAGE_REPORT_LIMITS };
  const taken = await limits.take([scope], 0, monotonicMs());
  if ("undo" in taken) return taken.end(0);
  const seconds = toRetryAfter(taken.waitMs / 1000);
  const message = `This key has reached its limit of ${USAGE_REPORTS_PER_MINUTE} usage reports per minute. Please try again in ${seconds}s.`;
  throw new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: seconds });
}

const measures = {
  requests: { type: "integer", description: "Charged requests, including free ones." },
  failed: { type: "integer", description: "Admitted requests without a response, which are free of charge." },
  prompt_tokens: { type: "integer" },
  cached_tokens: { type: "integer", description: "Prompt tokens that the upstream read from its cache." },
  completion_tokens: { type: "integer" },
  reasoning_tokens: { type: "integer", description: "Reasoning tokens among the completion tokens." },
  cost: { type: "string", description: "The charges in dollars." },
} as const satisfies Record<string, Schema>;

const measuresSchema = {
  title: "KeyUsageMeasures",
  type: "object",
  description: "The usage in the calendar day or month (UTC).",
  required: namesOf(measures),
  properties: measures,
} as const satisfies Schema;

/** The calendar day and month (UTC). */
const periods = { today: measuresSchema, this_month: measuresSchema };

/** The usage of the calling key. A grouping by another field is another list beside `by_model`. */
export const usageProperties = {
  ...periods,
  by_model: {
    type: "array",
    description: "The models with usage in this month.",
    items: {
      title: "KeyUsageOfModel",
      type: "object",
      required: ["model", ...namesOf(periods)],
      properties: { model: { type: "string" }, ...periods },
    },
  },
  by_tag: {
    type: "array",
    description: `The tags with usage in this month, at most ${MAX_TAGS}, by name: the ${MAX_VALUES} most expensive values of each.`,
    items: {
      title: "KeyUsageOfTag",
      type: "object",
      required: ["tag", "value", ...namesOf(periods)],
      properties: {
        tag: { type: "string" },
        value: { type: "string", description: "`none` for requests without the tag, `other` for values beyond the limit of a day." },
        ...periods,
      },
    },
  },
} as const satisfies Record<string, Schema>;

/** The schema of the usage without the rest of the view, for dry runs. */
export const keyUsageSchema = {
  title: "KeyUsage",
  type: "object",
  required: namesOf(usageProperties),
  properties: usageProperties,
} as const satisfies Schema;

export function viewUsage({ total, byModel, byTag }: KeyFigures): Record<string, unknown> {
  return {
    ...viewPeriods(total),
    by_model: byModel.map(({ model, ...periodsOf }) => ({ model, ...viewPeriods(periodsOf) })),
    by_tag: byTag.map(({ tag, value, ...periodsOf }) => ({ tag, value, ...viewPeriods(periodsOf) })),
  };
}

function viewPeriods({ today, thisMonth }: PeriodUsage): Record<string, unknown> {
  return { today: viewMeasures(today), this_month: viewMeasures(thisMonth) };
}

function viewMeasures(of: UsageMeasures): Record<keyof typeof measures, string | number> {
  return {
    requests: of.requests,
    failed: of.failed,
    prompt_tokens: of.promptTokens,
    cached_tokens: of.cachedTokens,
    completion_tokens: of.completionTokens,
    reasoning_tokens: of.reasoningTokens,
    cost: formatDollars(of.costNanos),
  };
}
