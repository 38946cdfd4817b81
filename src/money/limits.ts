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

/** What caps are of. A total has no end. */
export const CAP_PERIODS = ["day", "month", "total"] as const;

export type CapPeriod = (typeof CAP_PERIODS)[number];

export const NO_LIMITS: Limits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

export const NO_CAPS: Caps = { dayNanos: null, monthNanos: null, totalNanos: null };

/** Limits as they are kept: JSON that leaves out what is not set. */
export function writeLimits(limits: Limits): string {
  return JSON.stringify(limits, (_, value: unknown) => value ?? undefined);
}

export function readLimits(text: string): Limits {
  return { ...NO_LIMITS, ...(JSON.parse(text) as Partial<Limits>) };
}

/** Caps as they are kept: nano-dollars as text, because they may be larger than a JSON number holds. */
export function writeCaps(caps: Caps): string {
  return JSON.stringify(caps, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : (value ?? undefined)));
}

export function readCaps(text: string): Caps {
  const kept = JSON.parse(text) as Partial<Record<keyof Caps, string>>;
  return { dayNanos: readNanos(kept.dayNanos), monthNanos: readNanos(kept.monthNanos), totalNanos: readNanos(kept.totalNanos) };
}

function readNanos(text: string | undefined): Nanos | null {
  return text === undefined ? null : BigInt(text);
}
