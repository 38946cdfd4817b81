import { WINDOW_LIMITS } from "../../money/limits.ts";
import { type CountedRequest, Counters, countersByKind, isLimited, NOTHING_TAKEN, Ticket, type Tightest } from "./counters.ts";
import type { LimitRefusal, LimitScope, LimitStates, LimitTicket, LocalLimitStore, ScopeName } from "./limit-store.ts";

/** Rate limits in memory: a restart forgets the last minute. */
export class MemoryLimitStore implements LocalLimitStore {
  readonly #counters = countersByKind(newCounters);

  take(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitTicket | LimitRefusal {
    const refusal = this.refusalOf(scopes, tokens, nowMs);
    if (refusal) return refusal;
    const counted: CountedRequest[] = [];
    for (const scope of scopes) if (isLimited(scope)) counted.push(this.#countersOf(scope).take(scope.limits, tokens, nowMs));
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
    const states: Tightest = {};
    for (const scope of scopes) {
      if (!isLimited(scope)) continue;
      const counters = this.#countersOf(scope);
      const { amounts } = scope.limits;
      for (let at = 0; at < WINDOW_LIMITS.length; at++) {
        const limit = amounts[at]!;
        if (limit === null) continue;
        const { what } = WINDOW_LIMITS[at]!;
        const window = counters.windowAt(at);
        const remaining = Math.max(0, window.room(limit, nowMs));
        const known = states[what];
        if (!known || remaining < known.remaining) states[what] = { limit, remaining, resetMs: window.resetMs(nowMs) };
      }
    }
    return states;
  }

  #countersOf({ kind, id }: ScopeName): Counters {
    return this.#counters[kind].of(id);
  }
}

function newCounters(): Counters {
  return new Counters();
}
