import type { Limits } from "../../money/limits.ts";

/** Whose limits: a key's or an account's. */
export interface LimitScope {
  readonly kind: "key" | "account";
  readonly id: string;
  readonly limits: Limits;
}

/** What a request has taken, until it ends. */
export interface LimitTicket {
  /** The request has ended, with so many tokens in truth. */
  end(tokens: number): void;
  /** The request was not let in after all: as if it had never been. */
  undo(): void;
}

export interface LimitRefusal {
  readonly scope: LimitScope;
  readonly what: "requests" | "tokens" | "concurrent";
  /** Until there is room. 0 where nobody can know: it depends on when another request ends. */
  readonly waitMs: number;
  /** What is left of it now. */
  readonly remaining: number;
}

/** How one kind of limit stands. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/**
 * Counts requests and tokens of the last minute, and requests under way. `nowMs` is in whole milliseconds, and of a clock that nobody sets:
 * by the system clock, half an hour back would be half an hour of refusals, and ahead would empty every limit.
 */
export interface LimitStore {
  /** Lets a request in, on all scopes or on none. */
  take(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitTicket | LimitRefusal;
  /** What `take` would refuse a request by at this moment. Nothing is taken. */
  refusalOf(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitRefusal | undefined;
  /** How the tightest of the limits on requests, and on tokens, stand. Undefined where there is none. */
  state(scopes: readonly LimitScope[], nowMs: number): { requests: LimitState | undefined; tokens: LimitState | undefined };
}
