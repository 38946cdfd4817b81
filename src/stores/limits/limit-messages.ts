import { type NamedRates, type RateLimits, readRates, viewRates } from "../../money/limits.ts";
import type { LimitRefusal, LimitScope, ScopeName } from "./limit-store.ts";

// Messages between a gateway process and the authority over rate limits: plain JSON, whichever way they are sent. A process of another version
// may have fewer or more limits.

/** The amounts that count in a scope, by `WINDOW_LIMITS`. Times are durations, because processes do not compare their clocks. */
export type ScopeUsage = readonly (readonly [used: number, resetMs: number])[];

export interface ScopeMessage extends ScopeName {
  readonly limits: NamedRates;
  /** The process has no slice of the scope, or too little of it. */
  readonly isShort: boolean;
}

/** The ticket number of a dry run. */
export const NO_TICKET = 0;

/** Tickets are numbered by the process that takes them. Scopes without limits are omitted. */
export interface TakeMessage {
  readonly ticket: number;
  readonly tokens: number;
  readonly scopes: readonly ScopeMessage[];
}

/** The tokens of a ticket that was undone. */
export const UNDONE = -1;

/** May be sent more than once: a ticket that is not open is ignored. */
export interface EndMessage {
  readonly ticket: number;
  readonly tokens: number;
}

/** Amounts by their ages, oldest first. */
export type Amounts = readonly (readonly [ageMs: number, amount: number])[];

/** Null: the process has not counted in this window. */
export type WindowAmounts = Amounts | null;

/** A request in flight, with its estimated tokens. */
export interface OpenMessage {
  readonly ticket: number;
  readonly ageMs: number;
  readonly tokens: number;
}

/** The requests that a process has admitted in a scope: the sums of ended requests, by `WINDOW_LIMITS`, and the requests in flight. */
export interface TakenMessage extends ScopeName {
  readonly ended: readonly WindowAmounts[];
  readonly open: readonly OpenMessage[];
}

/** A slice is returned, with the usage within it. May be sent more than once: a lease that the process does not have is ignored. */
export interface ReturnMessage {
  readonly lease: number;
  readonly taken: TakenMessage;
}

/** The usage within a slice, for the limit states in other processes. */
export interface ReportMessage {
  readonly lease: number;
  readonly usage: ScopeUsage;
}

/** The events of one turn of the event loop, in this order. */
export interface TurnMessage {
  readonly returns: readonly ReturnMessage[];
  readonly ends: readonly EndMessage[];
  readonly reports: readonly ReportMessage[];
  readonly takes: readonly TakeMessage[];
}

export interface RefusalMessage extends Pick<LimitRefusal, "waitMs" | "remaining"> {
  /** The place of the scope in the request. */
  readonly scopeAt: number;
  /** `away`: the rest of a limit is with a process that does not answer. */
  readonly what: LimitRefusal["what"] | "away";
}

export interface TakeReply {
  /** The current usage in each of the scopes, without the slice of the process itself. */
  readonly usages: readonly ScopeUsage[];
  /** The reason for the rejection, if the request is rejected. */
  readonly refusal?: RefusalMessage;
}

export interface TurnReply {
  readonly takes: readonly TakeReply[];
  /** The usage for each report, as in `TakeReply`. Null for a lease that the process does not have. */
  readonly usages: readonly (ScopeUsage | null)[];
}

/**
 * A slice of a scope: the total limits up to which a process may admit requests without asking. A second slice with the same number
 * replaces the first. `limits` are the limits of the scope from which the slice was cut.
 */
export interface GrantMessage extends ScopeName {
  readonly lease: number;
  readonly limits: NamedRates;
  readonly slice: NamedRates;
}

/**
 * The statement of a process to an authority that may not know it: its slices, which it gives up, and the requests that the authority has
 * counted for it.
 */
export interface LimitStatement {
  readonly slices: readonly ReturnMessage[];
  readonly counted: readonly TakenMessage[];
}

export function readScope({ kind, id, limits }: ScopeMessage): LimitScope {
  return { kind, id, limits: readRates(limits) };
}

export function grantOf({ kind, id, limits }: LimitScope, lease: number, slice: RateLimits): GrantMessage {
  return { lease, kind, id, limits: viewRates(limits), slice: viewRates(slice) };
}
