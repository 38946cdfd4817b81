import type { Nanos } from "./money.ts";

/** The rate limits of a key or an account. Null where none is set. */
export interface Limits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

/** The spend caps of a key or an account, per calendar day and month (UTC) and in total. Null where none is set. */
export interface Caps {
  readonly dayNanos: Nanos | null;
  readonly monthNanos: Nanos | null;
  readonly totalNanos: Nanos | null;
}

/** The periods of spend caps. A total never resets. */
export const CAP_PERIODS = ["day", "month", "total"] as const;

export type CapPeriod = (typeof CAP_PERIODS)[number];

/** The rate limit that rejected a request, and whether it was the key's or the account's. */
export interface LimitHit {
  readonly scope: "key" | "account";
  readonly what: "requests" | "tokens" | "concurrent";
}

export const NO_LIMITS: Limits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

export const NO_CAPS: Caps = { dayNanos: null, monthNanos: null, totalNanos: null };

/** Limits as they are stored: JSON without the limits that are not set. */
export function writeLimits(limits: Limits): string {
  return JSON.stringify(limits, (_, value: unknown) => value ?? undefined);
}

export function readLimits(text: string): Limits {
  return { ...NO_LIMITS, ...(JSON.parse(text) as Partial<Limits>) };
}

/** Caps as they are stored: nano-dollars as text, because they may exceed what a JSON number can hold. */
export function writeCaps(caps: Caps): string {
  return JSON.stringify(caps, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : (value ?? undefined)));
}

export function readCaps(text: string): Caps {
  const stored = JSON.parse(text) as Partial<Record<keyof Caps, string>>;
  return { dayNanos: readNanos(stored.dayNanos), monthNanos: readNanos(stored.monthNanos), totalNanos: readNanos(stored.totalNanos) };
}

function readNanos(text: string | undefined): Nanos | null {
  return text === undefined ? null : BigInt(text);
}
