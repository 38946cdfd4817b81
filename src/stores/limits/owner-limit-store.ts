import { isLimited, NOTHING_TAKEN, Ticket } from "./counters.ts";
import type { CountersOf, FinalDecision } from "./decide-admission.ts";
import type { ScopeUsage } from "./limit-messages.ts";
import type { LimitRefusal, LimitScope, LimitState, LimitStates, LimitStore, LimitTicket } from "./limit-store.ts";
import { limitsUnknown } from "./limits-unknown.ts";

interface OwnerLimitOptions {
  readonly monotonicMs: () => number;
  readonly countersOf: CountersOf;
  readonly decide: <Result>(
    scopes: readonly LimitScope[],
    tokens: number,
    apply: (decision: FinalDecision) => Result,
  ) => Result | Promise<Result>;
}

/** The id of the owner process, which counts like a process without slices. */
const OWNER = "";

/** The rate limits of the owner process's own requests, which are counted together with the requests of its gateway processes. */
export class OwnerLimitStore implements LimitStore {
  readonly #options: OwnerLimitOptions;

  constructor(options: OwnerLimitOptions) {
    this.#options = options;
  }

  take(scopes: readonly LimitScope[], tokens: number): LimitTicket | LimitRefusal | Promise<LimitTicket | LimitRefusal> {
    const limited = scopes.filter(isLimited);
    if (limited.length === 0) return NOTHING_TAKEN;
    const { monotonicMs, countersOf, decide } = this.#options;
    return decide(limited, tokens, (decision) => {
      const refusal = refusalOf(decision);
      const nowMs = monotonicMs();
      return refusal ?? new Ticket(limited.map((scope) => countersOf(scope).counters.take(tokens, nowMs)));
    });
  }

  refusalOf(scopes: readonly LimitScope[], tokens: number): LimitRefusal | undefined | Promise<LimitRefusal | undefined> {
    const limited = scopes.filter(isLimited);
    return limited.length === 0 ? undefined : this.#options.decide(limited, tokens, refusalOf);
  }

  state(scopes: readonly LimitScope[], nowMs: number): LimitStates {
    let requests: LimitState | undefined;
    let tokens: LimitState | undefined;
    for (const scope of scopes.filter(isLimited)) {
      const usage = this.#options.countersOf(scope).usageFor(OWNER, nowMs);
      requests = tighter(requests, scope.limits.requestsPerMinute, usage, 0);
      tokens = tighter(tokens, scope.limits.tokensPerMinute, usage, 2);
    }
    return { requests, tokens };
  }
}

function refusalOf(decision: FinalDecision): LimitRefusal | undefined {
  if (decision.outcome === "away") throw limitsUnknown("what remains of a limit is with a process that does not answer");
  return decision.outcome === "refuse" ? decision.refusal : undefined;
}

function tighter(known: LimitState | undefined, limit: number | null, usage: ScopeUsage, at: 0 | 2): LimitState | undefined {
  if (limit === null) return known;
  const remaining = Math.max(0, limit - usage[at]);
  return known && known.remaining <= remaining ? known : { limit, remaining, resetMs: usage[at === 0 ? 1 : 3] };
}
