import { describePurse } from "./breakdown.ts";
import type { CapPeriod, Caps } from "./limits.ts";
import type { Nanos } from "./money.ts";
import type { Purse, PurseScope } from "./purse.ts";
import type { Spending } from "./tally.ts";

/** A limit on the spend of a request: the credit of its account, or one spend cap of its key, its account, its end user or a tag. */
export interface SpendLimit {
  readonly scope: PurseScope;
  readonly what: "credit" | CapPeriod;
}

/** The credit or spend cap that caused the rejection of a request, and its remaining amount, not counting requests in flight. */
export interface Shortfall extends SpendLimit {
  readonly leftNanos: Nanos;
}

/** The remaining amount of one limit, which a hold must not exceed. */
export interface Headroom {
  /** Its name in messages: "the account acme", "the daily spend cap of this key". */
  readonly name: string;
  readonly kind: "credit" | "budget" | "max_cost";
  /** Undefined for `x-max-cost`, the limit that the client sets for one request. */
  readonly spendLimit?: SpendLimit;
  /** The purse that has the credit or the spend cap. */
  readonly purse?: Purse;
  /** The amount that a hold may take now. */
  readonly leftNanos: Nanos;
  /** The headroom if there were no other requests in flight. */
  readonly leftIfIdleNanos: Nanos;
  /** When a spend cap resets. */
  readonly resetsAtMs: number | undefined;
  /** Whether it is the credit of an account with a credit line. */
  readonly hasCreditLine?: true | undefined;
  /** Whether the caller must not see the amounts. */
  readonly isHidden?: true;
}

/** The remaining amounts for the next request, as in response headers. */
export interface RemainingAmounts {
  /** The remaining credit, including the credit line. Below zero for an account that owes more. Null if credit never limits the account. */
  readonly creditNanos: Nanos | null;
  /** The remaining amount of the tightest spend cap. Undefined if there is none. */
  readonly capNanos: Nanos | undefined;
}

/** A zero cost always fits, even for an account in debt. */
export function fitsInto(room: Headroom, amountNanos: Nanos): boolean {
  return amountNanos <= room.leftNanos || amountNanos === 0n;
}

/** Whether the amount would fit if there were no other requests in flight. */
export function fitsWhenIdle(room: Headroom, amountNanos: Nanos): boolean {
  return room.leftIfIdleNanos !== room.leftNanos && amountNanos <= room.leftIfIdleNanos;
}

/** Sorts the smallest remaining amount first. */
export function tightestFirst(a: Headroom, b: Headroom): number {
  return a.leftNanos < b.leftNanos ? -1 : Number(a.leftNanos > b.leftNanos);
}

/** The headroom of each spend cap of a purse, given its spend. */
export function capHeadrooms(purse: Purse, caps: Caps, spending: Spending, nowMs: number): Headroom[] {
  const { heldNanos, dayNanos, monthNanos, totalNanos } = spending;
  const rooms: Headroom[] = [];
  const add = (what: CapPeriod, adjective: string, spent: Nanos, resetsAtMs: number | undefined): void => {
    const cap = caps[`${what}Nanos`];
    if (cap === null) return;
    const left = cap - spent - carriedAt(caps, what, nowMs);
    const name = `the ${adjective} spend cap of ${describePurse(purse)}`;
    const spendLimit: SpendLimit = { scope: purse.scope, what };
    rooms.push({ name, kind: "budget", spendLimit, purse, leftNanos: left - heldNanos, leftIfIdleNanos: left, resetsAtMs });
  };
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  add("day", "daily", dayNanos, Date.UTC(year, month, day + 1));
  add("month", "monthly", monthNanos, Date.UTC(year, month + 1, 1));
  add("total", "total", totalNanos, undefined);
  return rooms;
}

/**
 * The lowest remaining amount of these spend caps; undefined if there are none. It avoids the cost of computing headrooms, because it runs
 * for every request.
 */
export function tightestCap(caps: Caps, spending: Spending, nowMs: number): Nanos | undefined {
  const { dayNanos, monthNanos, totalNanos } = caps;
  let left: Nanos | undefined;
  if (dayNanos !== null) left = dayNanos - spending.dayNanos - carriedAt(caps, "day", nowMs);
  if (monthNanos !== null) left = smaller(left, monthNanos - spending.monthNanos - carriedAt(caps, "month", nowMs));
  if (totalNanos !== null) left = smaller(left, totalNanos - spending.totalNanos);
  return left === undefined ? undefined : left - spending.heldNanos;
}

/** The amount that counts against a cap in addition to the spend here: the spend at another gateway. */
export function carriedAt({ carried }: Caps, period: CapPeriod, nowMs: number): Nanos {
  const spend = carried === undefined || period === "total" ? undefined : carried[period];
  return spend === undefined || nowMs >= spend.untilMs ? 0n : spend.nanos;
}

/** The smaller of two amounts; either may be undefined. */
export function smaller(one: Nanos | undefined, other: Nanos | undefined): Nanos | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

export function hasCaps({ dayNanos, monthNanos, totalNanos }: Caps): boolean {
  return dayNanos !== null || monthNanos !== null || totalNanos !== null;
}
