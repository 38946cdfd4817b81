import type { RateLimits } from "../../money/limits.ts";
import type { LimitRefusal, LimitScope, ScopeName } from "./limit-store.ts";

/** What counts in a scope. Times are durations: processes do not compare their clocks. */
export type ScopeUsage = readonly [requests: number, requestsResetMs: number, tokens: number, tokensResetMs: number];

type LimitsMessage = readonly [requestsPerMinute: number | null, tokensPerMinute: number | null, concurrentRequests: number | null];

/** `isShort`: the process has no slice of the scope, or too little in it. */
export type ScopeMessage = readonly [kind: ScopeName["kind"], id: string, limits: LimitsMessage, isShort: boolean];

/** The ticket of a dry run. */
export const NO_TICKET = 0;

/** Tickets are numbered by the process that takes them. Scopes without limits are omitted. */
export type TakeMessage = readonly [ticket: number, tokens: number, scopes: readonly ScopeMessage[]];

/** The tokens of a ticket that was undone. */
export const UNDONE = -1;

/** May be sent more than once: a ticket that is not open is ignored. */
export type EndMessage = readonly [ticket: number, tokens: number];

/** Amounts by their ages, the oldest first. */
export type Amounts = readonly (readonly [ageMs: number, amount: number])[];

/** A request in flight, with its tokens as estimated. */
export type OpenMessage = readonly [ticket: number, ageMs: number, tokens: number];

/** What a process has admitted in a scope within the last minute: the requests that have ended, summed up, and those in flight. */
export type TakenMessage = readonly [kind: ScopeName["kind"], id: string, requests: Amounts, tokens: Amounts, open: readonly OpenMessage[]];

/** A slice goes back, with what was used of it. May be sent more than once: a lease that the process does not have is ignored. */
export type ReturnMessage = readonly [lease: number, taken: TakenMessage];

/** What counts in a slice, for the states of limits in other processes. */
export type ReportMessage = readonly [lease: number, usage: ScopeUsage];

/** What has happened in one turn of the event loop, in this order. */
export type TurnMessage = readonly [
  returns: readonly ReturnMessage[],
  ends: readonly EndMessage[],
  reports: readonly ReportMessage[],
  takes: readonly TakeMessage[],
];

/** `away`: what remains of a limit is with a process that does not answer. */
export type RefusalMessage = readonly [scopeAt: number, what: LimitRefusal["what"] | "away", waitMs: number, remaining: number];

/** What counts in each of the scopes now, without the slice of the process itself, and why the request is rejected, if it is. */
export type TakeReply = readonly [usages: readonly ScopeUsage[], refusal?: RefusalMessage];

/** `usages`: of the reports, as in `TakeReply`. Undefined for a lease that the process does not have. */
export type TurnReply = readonly [takes: readonly TakeReply[], usages: readonly (ScopeUsage | null)[]];

/**
 * A slice of a scope: the limits up to which a process may admit requests without asking, in total. A second one with the same number replaces
 * the first. `limits` are those of the scope, which it was cut from.
 */
export type GrantMessage = readonly [lease: number, kind: ScopeName["kind"], id: string, limits: LimitsMessage, slice: LimitsMessage];

/** What a process states to an authority that may not know it: its slices, which it gives up, and what the authority has counted. */
export interface LimitStatement {
  readonly slices: readonly ReturnMessage[];
  readonly counted: readonly TakenMessage[];
}

export function toLimitsMessage(limits: RateLimits): LimitsMessage {
  return [limits.requestsPerMinute, limits.tokensPerMinute, limits.concurrentRequests];
}

export function toLimits([requestsPerMinute, tokensPerMinute, concurrentRequests]: LimitsMessage): RateLimits {
  return { requestsPerMinute, tokensPerMinute, concurrentRequests };
}

export function readScope([kind, id, limits]: ScopeMessage): LimitScope {
  return { kind, id, limits: toLimits(limits) };
}
