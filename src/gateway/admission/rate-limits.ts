import type { LimitRefusal, LimitScope, LimitStates, LimitTicket } from "../../stores/limits/limit-store.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Attribution } from "../../money/attribution.ts";
import { describePurse, dimensionsOf, hasParts, isUnnamed, partOf, purseOf } from "../../money/breakdown.ts";
import { describeLimit, type LimitHit, type Limits, RATE_LIMITS, WINDOW_LIMITS } from "../../money/limits.ts";
import type { Spender } from "../../money/tally.ts";
import { ApiError, toRetryAfter } from "../../requests/api-error.ts";
import { limitHeaders } from "../../requests/chat-reply-headers.ts";
import type { Gateway } from "../gateway.ts";

/** The rate limits that every request of this key counts against: the key's and its account's. */
export function limitScopes(caller: KeyRecord, account: Account): LimitScope[] {
  return [
    { kind: "key", id: caller.id, limits: caller.limits },
    { kind: "account", id: account.id, limits: account.limits },
  ];
}

/** The rate limits that a request counts against, including the limits per end user and tag that its key and its account set. */
export function allLimitScopes(caller: KeyRecord, account: Account, attribution: Attribution | undefined): LimitScope[] {
  const scopes = limitScopes(caller, account);
  if (hasParts(caller.limits)) addParts(scopes, "key", caller.id, caller.limits, attribution);
  if (hasParts(account.limits)) addParts(scopes, "account", account.id, account.limits, attribution);
  return scopes;
}

function addParts(scopes: LimitScope[], owner: Spender, ownerId: string, limits: Limits, attribution: Attribution | undefined): void {
  for (const by of dimensionsOf(limits)) {
    const { scope: kind, id } = purseOf({ owner, ownerId, by }, attribution);
    scopes.push({ kind, id, limits: partOf(limits, by)! });
  }
}

/** The part of the tokens-per-minute limit that is reserved for a request. */
export interface TokenReservation {
  readonly prompt: number;
  readonly outputPerChoice: number;
  readonly choices: number;
  /** The name of the output limit in the client's format. Undefined if the output is known. */
  readonly limitName: string | undefined;
}

/** Throws a 429 if a limit would be exceeded. Counts nothing: for dry runs. Waits only if another process does the counting. */
export function checkLimits(scopes: readonly LimitScope[], tokens: TokenReservation, gateway: Gateway): void | Promise<void> {
  const refusal = gateway.limits.refusalOf(scopes, totalOf(tokens), gateway.monotonicMs());
  const throwIf = (found: LimitRefusal | undefined): void => {
    if (found) throw rateLimitExceeded(found, tokens);
  };
  return refusal instanceof Promise ? refusal.then(throwIf) : throwIf(refusal);
}

/** Every prompt has at least one token. */
const MIN_TOKENS = 1;

/**
 * Throws a 429 if a limit leaves no room for any request of the key. Counts nothing: for requests whose body has not been received yet.
 * Waits only if another process does the counting.
 */
export function rejectIfLimitReached(scopes: readonly LimitScope[], gateway: Gateway): void | Promise<void> {
  const refusal = gateway.limits.refusalOf(scopes, MIN_TOKENS, gateway.monotonicMs());
  const throwIf = (found: LimitRefusal | undefined): void => {
    if (!found) return;
    gateway.bodies.noteRejected("rate_limit");
    throw rateLimitExceeded(found);
  };
  return refusal instanceof Promise ? refusal.then(throwIf) : throwIf(refusal);
}

/** Fetches the states of the limits that another process counts. */
export async function fetchLimitStates(scopes: readonly LimitScope[], gateway: Gateway): Promise<void> {
  await gateway.limits.refusalOf(scopes, MIN_TOKENS, gateway.monotonicMs());
}

/**
 * Counts a request against all of its limits, or throws a 429 for the limit that it would exceed. Waits only if another process does the
 * counting.
 */
export function takeLimits(scopes: readonly LimitScope[], tokens: TokenReservation, gateway: Gateway): LimitTicket | Promise<LimitTicket> {
  const taken = gateway.limits.take(scopes, totalOf(tokens), gateway.monotonicMs());
  return taken instanceof Promise ? ticketAfter(taken, tokens) : ticketOf(taken, tokens);
}

async function ticketAfter(taking: Promise<LimitTicket | LimitRefusal>, tokens: TokenReservation): Promise<LimitTicket> {
  return ticketOf(await taking, tokens);
}

function ticketOf(taken: LimitTicket | LimitRefusal, tokens: TokenReservation): LimitTicket {
  if ("undo" in taken) return taken;
  throw rateLimitExceeded(taken, tokens);
}

function totalOf({ prompt, outputPerChoice, choices }: TokenReservation): number {
  return prompt + outputPerChoice * choices;
}

function rateLimitExceeded(refusal: LimitRefusal, tokens?: TokenReservation): ApiError {
  const seconds = toRetryAfter(refusal.waitMs / 1000);
  const message = `${describeRefusal(refusal, tokens)} Please try again in ${seconds}s.`;
  return new ApiError("rate_limit_exceeded", message, {
    retryAfterSeconds: seconds,
    limit: { scope: refusal.scope.kind as LimitHit["scope"], what: refusal.what },
  });
}

function describeRefusal({ scope, what, remaining }: LimitRefusal, tokens: TokenReservation | undefined): string {
  const at = RATE_LIMITS.findIndex((each) => each.what === what);
  const exceeded = RATE_LIMITS[at]!;
  const limit = describeLimit(exceeded, scope.limits.amounts[at]!);
  const purse = { scope: scope.kind as LimitHit["scope"], id: scope.id };
  const whose = describePurse(purse);
  const [has, its] = isUnnamed(purse) ? ["have", "their"] : ["has", "its"];
  const reached = `${whose.charAt(0).toUpperCase()}${whose.slice(1)} ${has} reached ${its} limit of`;
  if (!tokens || !("counts" in exceeded) || exceeded.counts === "requests") return `${reached} ${limit}.`;
  const maxTokens = Math.floor((remaining - tokens.prompt) / tokens.choices);
  const enough = maxTokens < 1 || tokens.limitName === undefined ? "" : `, enough for ${tokens.limitName}: ${maxTokens}`;
  const total = totalOf(tokens);
  return `This request may use ${total} token${total === 1 ? "" : "s"}, and ${whose} ${has} ${remaining} of ${its} ${limit} left${enough}.`;
}

const HEADERS = WINDOW_LIMITS.map((limit) => [limit.what, limitHeaders(limit)] as const);

/** Sets the `x-ratelimit-…` headers, with OpenAI's names and its format for durations. */
export function setRateLimitHeaders(headers: Record<string, string>, states: LimitStates): void {
  for (const [what, [limit, remaining, reset]] of HEADERS) {
    const state = states[what];
    if (!state) continue;
    headers[limit] = String(state.limit);
    headers[remaining] = String(state.remaining);
    headers[reset] = formatDuration(state.resetMs);
  }
}

/** A duration in Go's format, which clients parse: `0s`, `120ms`, `2.5s`, `1m0s`. */
function formatDuration(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole > 0 && whole < 1000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = (whole % 60_000) / 1000;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
