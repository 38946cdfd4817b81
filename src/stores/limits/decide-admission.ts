import type { RefusalMessage } from "./limit-messages.ts";
import type { LimitRefusal, LimitScope } from "./limit-store.ts";
import type { SharedCounters } from "./shared-counters.ts";

/** The counters of a scope, at the authority. */
export type CountersOf = (scope: LimitScope) => SharedCounters;

/** Whether a process answers. Where that is in doubt, it is asked. */
export type Liveness = "live" | "in_doubt" | "silent";

/**
 * Whether a request is admitted. `recall`: what is missing may be in slices, of these counters, or in slots of processes that are asked whether
 * they are live; the decision is made again when they have answered. `away`: it may be with a process that cannot be reached.
 */
export type Decision =
  | { readonly outcome: "admit" }
  | { readonly outcome: "refuse"; readonly refusal: LimitRefusal }
  | { readonly outcome: "recall"; readonly from: readonly SharedCounters[]; readonly ask: readonly string[] }
  | { readonly outcome: "away"; readonly scope: LimitScope };

/** A decision for which nothing has to be recalled. */
export type Settled = Exclude<Decision, { readonly outcome: "recall" }>;

interface AdmissionContext {
  readonly countersOf: CountersOf;
  readonly canRecall: (processId: string) => boolean;
  readonly livenessOf: (processId: string) => Liveness;
  readonly nowMs: number;
}

/** A request is rejected only where no slice that could be returned is left: then what counts is known. */
export function decideAdmission(
  scopes: readonly LimitScope[],
  tokens: number,
  { countersOf, canRecall, livenessOf, nowMs }: AdmissionContext,
): Decision {
  const full = scopes.filter((scope) => !countersOf(scope).fits(scope, tokens, nowMs));
  const [first] = full;
  if (!first) return { outcome: "admit" };
  const isSliced = (scope: LimitScope): boolean => countersOf(scope).leases.keys().some(canRecall);
  if (isSliced(first)) return { outcome: "recall", from: full.filter(isSliced).map(countersOf), ask: [] };
  const refusal = countersOf(first).counters.refusalOf(first, tokens, nowMs);
  if (!refusal) return { outcome: "away", scope: first };
  return (refusal.what === "concurrent" ? doubtOf(first, countersOf(first), livenessOf) : undefined) ?? { outcome: "refuse", refusal };
}

/** The slots of a process that has ended are free: a request is not rejected for them before its process has answered, or is lost. */
function doubtOf(scope: LimitScope, { counters, open }: SharedCounters, livenessOf: AdmissionContext["livenessOf"]): Decision | undefined {
  const limit = scope.limits.concurrentRequests ?? Infinity;
  const ask: string[] = [];
  let certain = counters.concurrent;
  let asked = 0;
  for (const [processId, requests] of open) {
    const liveness = livenessOf(processId);
    if (liveness === "silent") certain -= requests.size;
    else if (liveness === "in_doubt") {
      ask.push(processId);
      asked += requests.size;
    }
  }
  if (certain < limit) return { outcome: "away", scope };
  return certain - asked < limit ? { outcome: "recall", from: [], ask } : undefined;
}

export function toRefusalMessage(decision: Exclude<Settled, { outcome: "admit" }>, scopes: readonly LimitScope[]): RefusalMessage {
  if (decision.outcome === "away") return [scopes.indexOf(decision.scope), "away", 0, 0];
  const { scope, what, waitMs, remaining } = decision.refusal;
  return [scopes.indexOf(scope), what, waitMs, remaining];
}
