import { isLimited, NOTHING_TAKEN, noteState, Ticket, type Tightest } from "./counters.ts";
import type { CountersOf, FinalDecision } from "./decide-admission.ts";
import type { LimitRefusal, LimitScope, LimitStates, LimitStore, LimitTicket } from "./limit-store.ts";
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
      return refusal ?? new Ticket(limited.map((scope) => countersOf(scope).counters.take(scope.limits, tokens, nowMs)));
    });
  }

  refusalOf(scopes: readonly LimitScope[], tokens: number): LimitRefusal | undefined | Promise<LimitRefusal | undefined> {
    const limited = scopes.filter(isLimited);
    return limited.length === 0 ? undefined : this.#options.decide(limited, tokens, refusalOf);
  }

  state(scopes: readonly LimitScope[], nowMs: number): LimitStates {
    const states: Tightest = {};
    for (const scope of scopes.filter(isLimited)) {
      const usage = this.#options.countersOf(scope).usageFor(OWNER, nowMs);
      for (const [at, [used, resetMs]] of usage.entries()) noteState(states, at, scope, used, resetMs);
    }
    return states;
  }
}

function refusalOf(decision: FinalDecision): LimitRefusal | undefined {
  if (decision.outcome === "away") throw limitsUnknown("what remains of a limit is with a process that does not answer");
  return decision.outcome === "refuse" ? decision.refusal : undefined;
}
