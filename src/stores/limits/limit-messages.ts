import type { LimitRefusal, LimitScope, ScopeName } from "./limit-store.ts";

/** What counts in a scope. Times are durations: processes do not compare their clocks. */
export type ScopeUsage = readonly [requests: number, requestsResetMs: number, tokens: number, tokensResetMs: number];

export type ScopeMessage = readonly [
  kind: ScopeName["kind"],
  id: string,
  requestsPerMinute: number | null,
  tokensPerMinute: number | null,
  concurrentRequests: number | null,
];

/** The ticket of a dry run. */
export const NO_TICKET = 0;

/** Tickets are numbered by the process that takes them. Scopes without limits are omitted. */
export type TakeMessage = readonly [ticket: number, tokens: number, scopes: readonly ScopeMessage[]];

/** The tokens of a ticket that was undone. */
export const UNDONE = -1;

/** May be sent more than once: a ticket that is not open is ignored. */
export type EndMessage = readonly [ticket: number, tokens: number];

/** The tickets that were ended and asked for in one turn of the event loop, in this order. */
export type TurnMessage = readonly [ends: readonly EndMessage[], takes: readonly TakeMessage[]];

export type RefusalMessage = readonly [scopeAt: number, what: LimitRefusal["what"], waitMs: number, remaining: number];

/** What counts in each of the scopes now, and why the request is rejected, if it is. */
export type TakeReply = readonly [usages: readonly ScopeUsage[], refusal?: RefusalMessage];

/** Amounts by their ages, the oldest first. */
export type Amounts = readonly (readonly [ageMs: number, amount: number])[];

/** What a process has taken within the last minute, and its requests in flight. */
export interface LimitStatement {
  /** The requests that have ended, summed up. */
  readonly ended: readonly (readonly [kind: ScopeName["kind"], id: string, requests: Amounts, tokens: Amounts])[];
  readonly open: readonly (readonly [ticket: number, ageMs: number, tokens: number, scopes: readonly ScopeName[]])[];
}

export function writeScope({ kind, id, limits }: LimitScope): ScopeMessage {
  return [kind, id, limits.requestsPerMinute, limits.tokensPerMinute, limits.concurrentRequests];
}

export function readScope([kind, id, requestsPerMinute, tokensPerMinute, concurrentRequests]: ScopeMessage): LimitScope {
  return { kind, id, limits: { requestsPerMinute, tokensPerMinute, concurrentRequests } };
}
