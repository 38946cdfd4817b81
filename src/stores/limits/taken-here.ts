import { Counters } from "./counters.ts";
import type { ScopeUsage } from "./limit-messages.ts";
import type { LimitScope, LimitState, LimitStates } from "./limit-store.ts";
import { type RateWindow, WINDOW_MS } from "./rate-window.ts";

/** What other processes have used of a rate limit, when the owner last replied. */
interface UsedElsewhere {
  readonly amount: number;
  readonly resetAtMs: number;
}

/** What a gateway process knows about one scope: the requests that it has taken itself, by its own clock, and what counted elsewhere. */
export class TakenHere {
  readonly counters = new Counters();
  #elsewhere: Readonly<Record<"requests" | "tokens", UsedElsewhere>> | undefined;
  #knownAtMs = 0;

  /** The owner has replied with everything that counts in the scope. */
  learn([requests, requestsResetMs, tokens, tokensResetMs]: ScopeUsage, nowMs: number): void {
    this.#knownAtMs = nowMs;
    this.#elsewhere = {
      requests: { amount: requests - this.counters.requests.used(nowMs), resetAtMs: nowMs + requestsResetMs },
      tokens: { amount: tokens - this.counters.tokens.used(nowMs), resetAtMs: nowMs + tokensResetMs },
    };
  }

  stateOf(what: "requests" | "tokens", limit: number | null, nowMs: number): LimitState | undefined {
    if (limit === null || !this.#isKnown(nowMs)) return undefined;
    const own: RateWindow = this.counters[what];
    const { amount, resetAtMs } = this.#elsewhere![what];
    const resetMs = amount > 0 ? Math.max(0, resetAtMs - nowMs) : 0;
    const elsewhere = resetMs > 0 ? amount : 0;
    const remaining = Math.max(0, own.room(limit, nowMs) - elsewhere);
    return { limit, remaining, resetMs: Math.max(own.resetMs(nowMs), resetMs) };
  }

  isIdle(nowMs: number): boolean {
    return !this.#isKnown(nowMs) && this.counters.isIdle(nowMs);
  }

  /** After a window everything that was known has expired, and what was taken elsewhere since is unknown. */
  #isKnown(nowMs: number): boolean {
    return this.#elsewhere !== undefined && nowMs - this.#knownAtMs < WINDOW_MS;
  }
}

/** The states of the limits with the least remaining. */
export function tightestStates(scopes: readonly LimitScope[], takenIn: (scope: LimitScope) => TakenHere, nowMs: number): LimitStates {
  let requests: LimitState | undefined;
  let tokens: LimitState | undefined;
  for (const scope of scopes) {
    const taken = takenIn(scope);
    requests = tighter(requests, taken.stateOf("requests", scope.limits.requestsPerMinute, nowMs));
    tokens = tighter(tokens, taken.stateOf("tokens", scope.limits.tokensPerMinute, nowMs));
  }
  return { requests, tokens };
}

function tighter(known: LimitState | undefined, other: LimitState | undefined): LimitState | undefined {
  return known && (!other || known.remaining <= other.remaining) ? known : other;
}
