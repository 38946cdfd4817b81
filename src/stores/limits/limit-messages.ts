import { CONCURRENCY_AT, type RateLimits, WINDOW_LIMITS } from "../../money/limits.ts";
import type { LimitRefusal, LimitScope, ScopeName } from "./limit-store.ts";

/** The amounts that count in a scope, by `WINDOW_LIMITS`. Times are durations, because processes do not compare their clocks. */
export type ScopeUsage = readonly (readonly [used: number, resetMs: number])[];

/** The concurrency limit, then the windows: another version may have fewer or more of them. */
type LimitsMessage = readonly (number | null)[];

/** `isShort`: the process has no slice of the scope, or too little of it. */
export type ScopeMessage = readonly [kind: ScopeName["kind"], id: string, limits: LimitsMessage, isShort: boolean];

/** The ticket number of a dry run. */
export const NO_TICKET = 0;

/** Tickets are numbered by the process that takes them. Scopes without limits are omitted. */
export type TakeMessage = readonly [ticket: number, tokens: number, scopes: readonly ScopeMessage[]];

/** The tokens of a ticket that was undone. */
export const UNDONE = -1;

/** May be sent more than once: a ticket that is not open is ignored. */
export type EndMessage = readonly [ticket: number, tokens: number];

/** Amounts by their ages, oldest first. */
export type Amounts = readonly (readonly [ageMs: number, amount: number])[];

/** Null: the process has not counted in this window. */
export type WindowAmounts = Amounts | null;

/** A request in flight, with its estimated tokens. */
export type OpenMessage = readonly [ticket: number, ageMs: number, tokens: number];

/** The requests that a process has admitted in a scope: the sums of ended requests, by `WINDOW_LIMITS`, and the requests in flight. */
export type TakenMessage = readonly [kind: ScopeName["kind"], id: string, ended: readonly WindowAmounts[], open: readonly OpenMessage[]];

/** A slice is returned, with the usage within it. May be sent more than once: a lease that the process does not have is ignored. */
export type ReturnMessage = readonly [lease: number, taken: TakenMessage];

/** The usage within a slice, for the limit states in other processes. */
export type ReportMessage = readonly [lease: number, usage: ScopeUsage];

/** The events of one turn of the event loop, in this order. */
export type TurnMessage = readonly [
  returns: readonly ReturnMessage[],
  ends: readonly EndMessage[],
  reports: readonly ReportMessage[],
  takes: readonly TakeMessage[],
];

/** `away`: the rest of a limit is with a process that does not answer. */
export type RefusalMessage = readonly [scopeAt: number, what: LimitRefusal["what"] | "away", waitMs: number, remaining: number];

/**
 * The current usage in each of the scopes, without the slice of the process itself, and the reason for the rejection, if the request is
 * rejected.
 */
export type TakeReply = readonly [usages: readonly ScopeUsage[], refusal?: RefusalMessage];

/** `usages`: the usage for each report, as in `TakeReply`. Undefined for a lease that the process does not have. */
export type TurnReply = readonly [takes: readonly TakeReply[], usages: readonly (ScopeUsage | null)[]];

/**
 * A slice of a scope: the total limits up to which a process may admit requests without asking. A second slice with the same number
 * replaces the first. `limits` are the limits of the scope from which the slice was cut.
 */
export type GrantMessage = readonly [lease: number, kind: ScopeName["kind"], id: string, limits: LimitsMessage, slice: LimitsMessage];

/**
 * The statement of a process to an authority that may not know it: its slices, which it gives up, and the requests that the authority has
 * counted for it.
 */
export interface LimitStatement {
  readonly slices: readonly ReturnMessage[];
  readonly counted: readonly TakenMessage[];
}

export function toLimitsMessage({ amounts }: RateLimits): LimitsMessage {
  return [amounts[CONCURRENCY_AT]!, ...amounts.slice(0, CONCURRENCY_AT)];
}

export function toLimits([concurrent, ...windows]: LimitsMessage): RateLimits {
  return { amounts: [...WINDOW_LIMITS.map((_, at) => windows[at] ?? null), concurrent ?? null] };
}

export function readScope([kind, id, limits]: ScopeMessage): LimitScope {
  return { kind, id, limits: toLimits(limits) };
}
