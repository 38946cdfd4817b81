import { CONCURRENCY_AT } from "../../money/limits.ts";
import type { RefusalMessage } from "./limit-messages.ts";
import type { LimitRefusal, LimitScope } from "./limit-store.ts";
import type { SharedCounters } from "./shared-counters.ts";

/** The counters of a scope, at the authority. */
export type CountersOf = (scope: LimitScope) => SharedCounters;

/** Whether a process answers. If that is in doubt, the process is asked. */
export type Liveness = "live" | "in_doubt" | "silent";

/**
 * Whether a request is admitted. `recall`: the missing amount may be in slices of these counters, or in slots of processes that are first
 * asked whether they are live. The decision is made again when they have answered. `away`: the missing amount may be with a process that
 * cannot be reached.
 */
export type Decision =
  | { readonly outcome: "admit" }
  | { readonly outcome: "refuse"; readonly refusal: LimitRefusal }
  | { readonly outcome: "recall"; readonly from: readonly SharedCounters[]; readonly ask: readonly string[] }
  | { readonly outcome: "away"; readonly scope: LimitScope };

/** A decision that needs no recall. */
export type FinalDecision = Exclude<Decision, { readonly outcome: "recall" }>;

interface AdmissionContext {
  readonly countersOf: CountersOf;
  readonly canRecall: (processId: string) => boolean;
  readonly livenessOf: (processId: string) => Liveness;
  readonly nowMs: number;
}

/**
 * Decides whether a request is admitted. It is rejected only when no slices remain that could be returned, because only then is the total
 * usage known.
 */
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

/**
 * The processes that may hold free slots: the slots of an ended process are free. A request is not rejected because of a process's slots
 * before that process has answered or is lost.
 */
function doubtOf(scope: LimitScope, { counters, open }: SharedCounters, livenessOf: AdmissionContext["livenessOf"]): Decision | undefined {
  const limit = scope.limits.amounts[CONCURRENCY_AT] ?? Infinity;
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

export function toRefusalMessage(decision: Exclude<FinalDecision, { outcome: "admit" }>, scopes: readonly LimitScope[]): RefusalMessage {
  if (decision.outcome === "away") return { scopeAt: scopes.indexOf(decision.scope), what: "away", waitMs: 0, remaining: 0 };
  const { scope, what, waitMs, remaining } = decision.refusal;
  return { scopeAt: scopes.indexOf(scope), what, waitMs, remaining };
}
