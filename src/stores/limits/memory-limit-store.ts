import { type CountedRequest, Counters, countersByKind, isLimited, NOTHING_TAKEN, Ticket } from "./counters.ts";
import type { LimitRefusal, LimitScope, LimitState, LimitStates, LimitTicket, LocalLimitStore, ScopeName } from "./limit-store.ts";
import type { RateWindow } from "./rate-window.ts";

/** Rate limits in memory: a restart forgets the last minute. */
export class MemoryLimitStore implements LocalLimitStore {
  readonly #counters = countersByKind(newCounters);

  take(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitTicket | LimitRefusal {
    const refusal = this.refusalOf(scopes, tokens, nowMs);
    if (refusal) return refusal;
    const counted: CountedRequest[] = [];
    for (const scope of scopes) if (isLimited(scope)) counted.push(this.#countersOf(scope).take(tokens, nowMs));
    for (const { kind } of scopes) this.#counters[kind].forgetIdle(nowMs);
    return counted.length === 0 ? NOTHING_TAKEN : new Ticket(counted);
  }

  refusalOf(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitRefusal | undefined {
    for (const scope of scopes) {
      const refusal = isLimited(scope) ? this.#countersOf(scope).refusalOf(scope, tokens, nowMs) : undefined;
      if (refusal) return refusal;
    }
    return undefined;
  }

  state(scopes: readonly LimitScope[], nowMs: number): LimitStates {
    let requests: LimitState | undefined;
    let tokens: LimitState | undefined;
    for (const scope of scopes) {
      if (!isLimited(scope)) continue;
      const counters = this.#countersOf(scope);
      requests = tighter(requests, scope.limits.requestsPerMinute, counters.requests, nowMs);
      tokens = tighter(tokens, scope.limits.tokensPerMinute, counters.tokens, nowMs);
    }
    return { requests, tokens };
  }

  #countersOf({ kind, id }: ScopeName): Counters {
    return this.#counters[kind].of(id);
  }
}

function newCounters(): Counters {
  return new Counters();
}

/** The state of the limit with the lower remainder. */
function tighter(known: LimitState | undefined, limit: number | null, window: RateWindow, nowMs: number): LimitState | undefined {
  if (limit === null) return known;
  const remaining = Math.max(0, window.room(limit, nowMs));
  return known && known.remaining <= remaining ? known : { limit, remaining, resetMs: window.resetMs(nowMs) };
}
