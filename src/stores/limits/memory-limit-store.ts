import type { LimitRefusal, LimitScope, LimitState, LimitStore, LimitTicket } from "./limit-store.ts";
import { RateWindow, type Taken } from "./rate-window.ts";

/** What is counted for one scope. */
class Counters {
  readonly requests = new RateWindow();
  readonly tokens = new RateWindow();
  concurrent = 0;

  refusalOf(scope: LimitScope, tokens: number, nowMs: number): LimitRefusal | undefined {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = scope.limits;
    if (requestsPerMinute !== null) {
      const waitMs = this.requests.waitMs(1, requestsPerMinute, nowMs);
      if (waitMs > 0) return { scope, what: "requests", waitMs, remaining: 0 };
    }
    if (tokensPerMinute !== null) {
      const waitMs = this.tokens.waitMs(tokens, tokensPerMinute, nowMs);
      const remaining = Math.max(0, this.tokens.room(tokensPerMinute, nowMs));
      if (waitMs > 0) return { scope, what: "tokens", waitMs, remaining };
    }
    if (concurrentRequests !== null && this.concurrent >= concurrentRequests) {
      return { scope, what: "concurrent", waitMs: 0, remaining: 0 };
    }
    return undefined;
  }

  take(tokens: number, nowMs: number): CountedRequest {
    this.concurrent++;
    return new CountedRequest(this, this.requests.take(1, nowMs), this.tokens.take(tokens, nowMs));
  }
}

/** One request in the counters of one scope. */
class CountedRequest {
  readonly #counters: Counters;
  readonly #request: Taken;
  readonly #tokens: Taken;

  constructor(counters: Counters, request: Taken, tokens: Taken) {
    this.#counters = counters;
    this.#request = request;
    this.#tokens = tokens;
  }

  end(tokens: number): void {
    this.#counters.concurrent--;
    this.#counters.tokens.correct(this.#tokens, tokens);
  }

  undo(): void {
    this.end(0);
    this.#counters.requests.correct(this.#request, 0);
  }
}

const NOTHING_TAKEN: LimitTicket = { end: () => undefined, undo: () => undefined };

/** Limits of one process, in its memory: a restart forgets a minute, and no harm is done. */
export class MemoryLimitStore implements LimitStore {
  readonly #counters = new Map<string, Counters>();

  take(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitTicket | LimitRefusal {
    const limited = scopes.filter(isLimited);
    if (limited.length === 0) return NOTHING_TAKEN;
    const refusal = this.refusalOf(limited, tokens, nowMs);
    if (refusal) return refusal;
    const counted = limited.map((scope) => this.#countersOf(scope).take(tokens, nowMs));
    return {
      end: (actual) => counted.forEach((each) => each.end(actual)),
      undo: () => counted.forEach((each) => each.undo()),
    };
  }

  refusalOf(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitRefusal | undefined {
    for (const scope of scopes) {
      const refusal = isLimited(scope) ? this.#countersOf(scope).refusalOf(scope, tokens, nowMs) : undefined;
      if (refusal) return refusal;
    }
    return undefined;
  }

  state(scopes: readonly LimitScope[], nowMs: number): { requests: LimitState | undefined; tokens: LimitState | undefined } {
    const stateOf = (what: "requests" | "tokens", limitOf: (scope: LimitScope) => number | null): LimitState | undefined => {
      const states = scopes.flatMap((scope) => {
        const limit = limitOf(scope);
        if (limit === null) return [];
        const window = this.#countersOf(scope)[what];
        return [{ limit, remaining: Math.max(0, window.room(limit, nowMs)), resetMs: window.resetMs(nowMs) }];
      });
      return states.length === 0 ? undefined : states.reduce((a, b) => (b.remaining < a.remaining ? b : a));
    };
    return {
      requests: stateOf("requests", (scope) => scope.limits.requestsPerMinute),
      tokens: stateOf("tokens", (scope) => scope.limits.tokensPerMinute),
    };
  }

  #countersOf({ kind, id }: LimitScope): Counters {
    const name = `${kind}:${id}`;
    let counters = this.#counters.get(name);
    if (!counters) this.#counters.set(name, (counters = new Counters()));
    return counters;
  }
}

function isLimited({ limits }: LimitScope): boolean {
  return limits.requestsPerMinute !== null || limits.tokensPerMinute !== null || limits.concurrentRequests !== null;
}
