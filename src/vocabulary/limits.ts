import type { Nanos } from "./money.ts";

/** How fast a key or an account may go. Null where nothing is set. */
export interface Limits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

/** How much a key or an account may spend, by the calendar in UTC. Null where nothing is set. */
export interface Caps {
  readonly dayNanos: Nanos | null;
  readonly monthNanos: Nanos | null;
  readonly totalNanos: Nanos | null;
}

export const NO_LIMITS: Limits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

export const NO_CAPS: Caps = { dayNanos: null, monthNanos: null, totalNanos: null };
