import type { Nanos } from "./money.ts";

/** Rate limits. Null where none is set. */
export interface RateLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

/** The rate limits of a key or an account, and those of each of its end users, and of each value of a tag, by the tag's name. */
export interface Limits extends RateLimits {
  readonly perUser?: RateLimits | undefined;
  readonly perTag?: Readonly<Record<string, RateLimits>> | undefined;
}

/** Spend caps per calendar day and month (UTC). Null where none is set. */
export interface PeriodCaps {
  readonly dayNanos: Nanos | null;
  readonly monthNanos: Nanos | null;
}

/**
 * The spend caps of a key or an account, per calendar day and month (UTC) and in total, and those of each of its end users, and of each value of
 * a tag, by the tag's name. Null where none is set.
 */
export interface Caps extends PeriodCaps {
  readonly totalNanos: Nanos | null;
  /** What was spent at another gateway before the keys were imported. It counts as spent here until its time. */
  readonly carried?: Carried | undefined;
  readonly perUser?: PeriodCaps | undefined;
  readonly perTag?: Readonly<Record<string, PeriodCaps>> | undefined;
}

export interface CarriedSpend {
  readonly nanos: Nanos;
  readonly untilMs: number;
}

export type Carried = Partial<Readonly<Record<"day" | "month", CarriedSpend>>>;

/** The periods of spend caps. A total never resets. */
export const CAP_PERIODS = ["day", "month", "total"] as const;

export type CapPeriod = (typeof CAP_PERIODS)[number];

/** The rate limit that rejected a request, and whether it was the key's, the account's, or that of an end user or a tag of one of them. */
export interface LimitHit {
  readonly scope: "key" | "account" | "user" | "tag";
  readonly what: "requests" | "tokens" | "concurrent";
}

export const NO_LIMITS: Limits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

export const NO_CAPS: Caps = { dayNanos: null, monthNanos: null, totalNanos: null };

/** The parts of limits or caps that are per end user and per tag. Those that are not set are omitted. */
export interface Parts<Part> {
  readonly perUser?: Part | undefined;
  readonly perTag?: Readonly<Record<string, Part>> | undefined;
}
