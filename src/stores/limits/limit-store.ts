import type { LimitHit, RateLimits, WindowLimit } from "../../money/limits.ts";

/**
 * The name of a scope: a key, an account, or an end user or a value of a tag of one of them, whose id is the id of its purse:
 * `money/breakdown.ts`. Or a route of a model.
 */
export interface ScopeName {
  readonly kind: "key" | "account" | "user" | "tag" | "route";
  readonly id: string;
}

/** The key, account, end user, tag or route that the limits apply to. */
export interface LimitScope extends ScopeName {
  readonly limits: RateLimits;
}

/** The share of the limits that an admitted request uses. Call exactly one of the methods, once. */
export interface LimitTicket {
  /** The request has ended, with this number of tokens. The estimate of `take` is corrected to it. */
  end(tokens: number): void;
  /** The request was rejected after all: it no longer counts. */
  undo(): void;
}

export interface LimitRefusal {
  readonly scope: LimitScope;
  readonly what: LimitHit["what"];
  /** The time until the request would be admitted. 0 for the concurrency limit, which depends on when another request ends. */
  readonly waitMs: number;
  /** The current remainder of the limit. */
  readonly remaining: number;
}

/** The state of a rate limit, as in the `x-ratelimit-*` headers. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** Undefined or absent if there is no such limit. */
export type LimitStates = Readonly<Partial<Record<WindowLimit["what"], LimitState | undefined>>>;

/**
 * Rate limits: requests and tokens over the last minute or another sliding window, and concurrent requests. `nowMs` is the monotonic clock in whole
 * milliseconds: with the wall clock, setting it back half an hour would reject requests for half an hour, and setting it ahead would reset
 * every limit. Nothing here is durable.
 *
 * If another process counts, its clock decides. `take` and `refusalOf` of limited scopes then return promises, and fail with the 503 of
 * `authorityAway` while that process is away. Otherwise nothing throws.
 */
export interface LimitStore {
  /**
   * Admits a request in all scopes, or in none. `tokens` is an estimate until the ticket ends. A caller whose decision also depends on its
   * own state must check that state again after waiting.
   */
  take(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitTicket | LimitRefusal | Promise<LimitTicket | LimitRefusal>;
  /** Dry run: the reason for which `take` would reject the request now, if any. */
  refusalOf(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitRefusal | undefined | Promise<LimitRefusal | undefined>;
  /**
   * The states of the limits with the least remaining requests and tokens, for headers. If another process counts: as of its last reply to
   * `take` or `refusalOf`, plus the requests that this process has counted since; undefined if the last reply is more than a minute old.
   */
  state(scopes: readonly LimitScope[], nowMs: number): LimitStates;
}

/** Rate limits that only this process counts, such as the limits of a preview: nothing waits. */
export interface LocalLimitStore extends LimitStore {
  take(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitTicket | LimitRefusal;
  refusalOf(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitRefusal | undefined;
}
