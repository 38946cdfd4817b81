import { LONGEST_DELIVERY_WAIT_MS } from "../delivery-state.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The retry schedule: short waits for a hiccup, long ones for an outage. A day in total. */
const WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];

export const MAX_ATTEMPTS = WAITS_MS.length + 1;

/** The maximum jitter, so that deliveries that failed together are not retried together. */
const JITTER = 0.25;

/** The wait after this number of attempts; undefined after the last. `random` is from 0 to 1. */
export function waitAfter(attempts: number, retryAfterMs: number | null, random: number): number | undefined {
  const wait = WAITS_MS[attempts - 1];
  if (wait === undefined) return undefined;
  return Math.max(Math.round(wait * (1 + JITTER * random)), Math.min(retryAfterMs ?? 0, LONGEST_DELIVERY_WAIT_MS));
}
