import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";
import { makeAlert, type Alert } from "../alert.ts";
import { CAP_PERIODS, type CapPeriod, type Caps } from "../../money/limits.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import { hasCaps } from "../../money/headroom.ts";
import type { Spending } from "../../money/tally.ts";
import { crossing, type Found, type Marks } from "./crossing.ts";
import type { Refused } from "./refusals.ts";

/** Whose caps are looked at, and how an alert names it. */
export interface Capped {
  readonly scope: "account" | "key";
  readonly id: string;
  /** Of one that cannot spend any more nothing is told. */
  readonly caps: Caps;
  readonly refused: Refused;
  readonly named: () => Readonly<Record<string, unknown>>;
}

/** When it is near: time enough to do something about it. */
const NEAR_PERCENT = 80n;

/**
 * `cap.near` and `cap.reached`: how much of its caps an account or a key has spent. A cap is reached as well when it has refused a
 * request: what each may cost is set aside first, so that most caps are never spent to the end.
 */
export function checkSpendCaps(capped: Capped, ledger: LedgerStore, marks: Marks, nowMs: number): Found[] {
  const { scope, id, caps } = capped;
  const spending = hasCaps(caps) ? ledger.spendingOf(scope, id, nowMs) : undefined;
  return CAP_PERIODS.flatMap((period) => lookAtCap(capped, period, spending, marks, nowMs));
}

function lookAtCap(
  { scope, id, caps, refused, named }: Capped,
  period: CapPeriod,
  spending: Spending | undefined,
  marks: Marks,
  nowMs: number,
): Found[] {
  const cap = caps[`${period}Nanos`] ?? 0n;
  const spent = spending?.[`${period}Nanos`] ?? 0n;
  const nearSubject = `cap.near ${scope} ${id} ${period}`;
  const reachedSubject = `cap.reached ${scope} ${id} ${period}`;
  const name = nameOfPeriod(period, nowMs);
  // Requests that are refused leave nothing behind to look at: it stays reached for as long as the cap is the same.
  const reachedValue = `${name} ${cap}`;
  const wasReached = marks.get(reachedSubject)?.value === reachedValue;
  // Where more is left than at the refusal, the cap was raised meanwhile, or another day has begun.
  const refusedAt = refused.get(period);
  const hasRefused = refusedAt !== undefined && cap - spent <= refusedAt;
  // A cap of nothing was not reached by anybody: it was set.
  const isReached = cap > 0n && (spent >= cap || hasRefused || wasReached);
  const isNear = cap > 0n && spent * 100n >= cap * NEAR_PERCENT;
  const tell = (kind: "cap.near" | "cap.reached") => (): Alert =>
    makeAlert(kind, { scope, ...named(), period, ...amounts(cap, spent) }, nowMs);
  return [
    // Whoever hears that it is reached need not hear that it is near.
    ...crossing({ subject: nearSubject, isSo: isNear, value: name }, marks, nowMs, () => (isReached ? undefined : tell("cap.near")())),
    ...crossing({ subject: reachedSubject, isSo: isReached, value: reachedValue }, marks, nowMs, tell("cap.reached")),
  ];
}

function amounts(cap: Nanos, spent: Nanos): Record<string, string> {
  return { cap: formatDollars(cap), spent: formatDollars(spent) };
}

/** `2027-01-31`, `2027-01`, or `total`: in the next one it is told again. */
function nameOfPeriod(period: CapPeriod, nowMs: number): string {
  if (period === "total") return "total";
  return new Date(nowMs).toISOString().slice(0, period === "day" ? 10 : 7);
}
