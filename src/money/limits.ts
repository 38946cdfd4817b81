import type { Nanos } from "./money.ts";

/** Rate limits. Null means no limit. */
export interface RateLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

/**
 * The rate limits of a key or an account, the rate limits of each of its end users, and, by tag name, the rate limits of each value of a
 * tag.
 */
export interface Limits extends RateLimits {
  readonly perUser?: RateLimits | undefined;
  readonly perTag?: Readonly<Record<string, RateLimits>> | undefined;
}

/** Spend caps per calendar day and month (UTC). Null means no cap. */
export interface PeriodCaps {
  readonly dayNanos: Nanos | null;
  readonly monthNanos: Nanos | null;
}

/**
 * The spend caps of a key or an account, per calendar day and month (UTC) and in total. Also the spend caps of each of its end users and,
 * by tag name, of each value of a tag. Null means no cap.
 */
export interface Caps extends PeriodCaps {
  readonly totalNanos: Nanos | null;
  /** The spend at another gateway before the keys were imported. It counts as spent here until it expires. */
  readonly carried?: CarriedByPeriod | undefined;
  readonly perUser?: PeriodCaps | undefined;
  readonly perTag?: Readonly<Record<string, PeriodCaps>> | undefined;
}

export interface CarriedSpend {
  readonly nanos: Nanos;
  readonly untilMs: number;
}

export type CarriedByPeriod = Partial<Readonly<Record<"day" | "month", CarriedSpend>>>;

/** The periods of spend caps. A total never resets. */
export const CAP_PERIODS = ["day", "month", "total"] as const;

export type CapPeriod = (typeof CAP_PERIODS)[number];

/** The rate limit that rejected a request, and its owner: the key, the account, or an end user or a tag of one of them. */
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
