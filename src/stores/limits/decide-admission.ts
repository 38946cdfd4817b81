import type { RefusalMessage } from "./limit-messages.ts";
import type { LimitRefusal, LimitScope } from "./limit-store.ts";
import type { SharedCounters } from "./shared-counters.ts";

/** The counters of a scope, at the authority. */
export type CountersOf = (scope: LimitScope) => SharedCounters;

/**
 * Whether a request is admitted. `recall`: what is missing may be in slices, of these counters; the decision is made again when they are back.
 * `away`: it may be in the slice of a process that cannot be reached.
 */
export type Decision =
  | { readonly outcome: "admit" }
  | { readonly outcome: "refuse"; readonly refusal: LimitRefusal }
  | { readonly outcome: "recall"; readonly from: readonly SharedCounters[] }
  | { readonly outcome: "away"; readonly scope: LimitScope };

/** A decision for which nothing has to be recalled. */
export type Settled = Exclude<Decision, { readonly outcome: "recall" }>;

/** A request is rejected only where no slice that could be returned is left: then what counts is known. */
export function decideAdmission(
  scopes: readonly LimitScope[],
  tokens: number,
  { countersOf, canRecall, nowMs }: { countersOf: CountersOf; canRecall: (processId: string) => boolean; nowMs: number },
): Decision {
  const full = scopes.filter((scope) => !countersOf(scope).fits(scope, tokens, nowMs));
  const [first] = full;
  if (!first) return { outcome: "admit" };
  const isSliced = (scope: LimitScope): boolean => countersOf(scope).leases.keys().some(canRecall);
  if (isSliced(first)) return { outcome: "recall", from: full.filter(isSliced).map(countersOf) };
  const refusal = countersOf(first).counters.refusalOf(first, tokens, nowMs);
  return refusal ? { outcome: "refuse", refusal } : { outcome: "away", scope: first };
}

export function toRefusalMessage(decision: Exclude<Settled, { outcome: "admit" }>, scopes: readonly LimitScope[]): RefusalMessage {
  if (decision.outcome === "away") return [scopes.indexOf(decision.scope), "away", 0, 0];
  const { scope, what, waitMs, remaining } = decision.refusal;
  return [scopes.indexOf(scope), what, waitMs, remaining];
}
