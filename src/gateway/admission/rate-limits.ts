import type { LimitRefusal, LimitScope, LimitState, LimitTicket } from "../../stores/limits/limit-store.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { GatewayError, toRetryAfter } from "../../requests/gateway-error.ts";
import type { Gateway } from "../gateway.ts";

/** Whose limits a request of this key counts against. */
export function limitScopes(caller: KeyRecord, account: Account): LimitScope[] {
  return [
    { kind: "key", id: caller.id, limits: caller.limits },
    { kind: "account", id: account.id, limits: account.limits },
  ];
}

/** What is reserved for a request of the tokens a minute. */
export interface TokensReserved {
  readonly prompt: number;
  readonly outputOfEach: number;
  readonly choices: number;
}

/** Refuses a request by the limit that has no room for it. Nothing is counted. */
export function checkLimits(scopes: readonly LimitScope[], tokens: TokensReserved, gateway: Gateway): void {
  const refusal = gateway.limits.refusalOf(scopes, totalOf(tokens), gateway.monotonicMs());
  if (refusal) throw limitRefusal(refusal, tokens);
}

/** The least that a request can take: there is no prompt without a token. */
const LEAST_TOKENS = 1;

/** Refuses a request of which nothing but its key is known by a limit that has no room for any. Nothing is counted. */
export function refuseFullLimit(scopes: readonly LimitScope[], gateway: Gateway): void {
  const refusal = gateway.limits.refusalOf(scopes, LEAST_TOKENS, gateway.monotonicMs());
  if (!refusal) return;
  gateway.bodies.noteRejected("rate_limit");
  throw limitRefusal(refusal);
}

/** Counts a request against all of its limits, or refuses it by the one that has no room. */
export function takeLimits(scopes: readonly LimitScope[], tokens: TokensReserved, gateway: Gateway): LimitTicket {
  const taken = gateway.limits.take(scopes, totalOf(tokens), gateway.monotonicMs());
  if ("undo" in taken) return taken;
  throw limitRefusal(taken, tokens);
}

function totalOf({ prompt, outputOfEach, choices }: TokensReserved): number {
  return prompt + outputOfEach * choices;
}

function limitRefusal(refusal: LimitRefusal, tokens?: TokensReserved): GatewayError {
  const seconds = toRetryAfter(refusal.waitMs / 1000);
  const message = `${whatIsFull(refusal, tokens)} Please try again in ${seconds}s.`;
  return new GatewayError("rate_limit_exceeded", message, {
    retryAfterSeconds: seconds,
    limit: { scope: refusal.scope.kind, what: refusal.what },
  });
}

function whatIsFull({ scope, what, remaining }: LimitRefusal, tokens: TokensReserved | undefined): string {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = scope.limits;
  if (what === "requests") return `This ${scope.kind} has reached its limit of ${counted(requestsPerMinute!, "request")} a minute.`;
  if (what === "concurrent") return `This ${scope.kind} has reached its limit of ${counted(concurrentRequests!, "request")} at a time.`;
  if (!tokens) return `This ${scope.kind} has reached its limit of ${counted(tokensPerMinute!, "token")} a minute.`;
  const maxTokens = Math.floor((remaining - tokens.prompt) / tokens.choices);
  const enough = maxTokens < 1 ? "" : `, enough for max_tokens: ${maxTokens}`;
  return `This request may take ${counted(totalOf(tokens), "token")}, and this ${scope.kind} has ${remaining} of its ${counted(tokensPerMinute!, "token")} a minute left${enough}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const COUNTED = ["requests", "tokens"] as const;

/** Tells a caller how its limits stand, in OpenAI's names and its format for durations. */
export function describeLimits(
  headers: Record<string, string>,
  states: Readonly<Record<"requests" | "tokens", LimitState | undefined>>,
): void {
  for (const what of COUNTED) {
    const state = states[what];
    if (!state) continue;
    headers[`x-ratelimit-limit-${what}`] = String(state.limit);
    headers[`x-ratelimit-remaining-${what}`] = String(state.remaining);
    headers[`x-ratelimit-reset-${what}`] = formatDuration(state.resetMs);
  }
}

/** A duration as Go writes it, because clients parse it so: `0s`, `120ms`, `2.5s`, `1m0s`. */
export function formatDuration(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole > 0 && whole < 1000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = (whole % 60_000) / 1000;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
