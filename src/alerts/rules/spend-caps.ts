import type { LedgerRecordStore } from "../../stores/ledger/ledger-record-store.ts";
import { makeAlert, type Alert } from "../alert.ts";
import { CAP_PERIODS, type CapPeriod, type Caps } from "../../money/limits.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import { carriedAt, hasCaps } from "../../money/headroom.ts";
import type { Spending } from "../../money/tally.ts";
import { crossing, type SubjectFinding, type Marks } from "./crossing.ts";
import type { RefusedAmounts } from "./refusals.ts";

/** An account or a key with its spend caps, and how an alert names it. */
export interface CappedSpender {
  readonly scope: "account" | "key";
  readonly id: string;
  /** The caps. Empty for a key that can no longer spend, for which alerts are not raised. */
  readonly caps: Caps;
  readonly refused: RefusedAmounts;
  readonly named: () => Readonly<Record<string, unknown>>;
}

/** The percentage at which `cap.near` is raised: early enough to act. */
const NEAR_PERCENT = 80n;

/**
 * `cap.near` and `cap.reached`: the spend of an account or a key relative to its caps. A cap is also reached when it has rejected a
 * request: the cost bound of a request is reserved first, so most caps are never spent completely.
 */
export function checkSpendCaps(capped: CappedSpender, ledger: LedgerRecordStore, marks: Marks, nowMs: number): SubjectFinding[] {
  const { scope, id, caps } = capped;
  const spending = hasCaps(caps) ? ledger.spendingOf(scope, id, nowMs) : undefined;
  return CAP_PERIODS.flatMap((period) => checkCap(capped, period, spending, marks, nowMs));
}

function checkCap(
  { scope, id, caps, refused, named }: CappedSpender,
  period: CapPeriod,
  spending: Spending | undefined,
  marks: Marks,
  nowMs: number,
): SubjectFinding[] {
  const cap = caps[`${period}Nanos`] ?? 0n;
  const spent = (spending?.[`${period}Nanos`] ?? 0n) + carriedAt(caps, period, nowMs);
  const nearSubject = `cap.near ${scope} ${id} ${period}`;
  const reachedSubject = `cap.reached ${scope} ${id} ${period}`;
  const name = nameOfPeriod(period, nowMs);
  // Rejected requests leave no ledger entry: the cap stays reached until it changes.
  const reachedValue = `${name} ${cap}`;
  const wasReached = marks.get(reachedSubject)?.value === reachedValue;
  // If more remains than at the rejection, the cap has been raised, or a new day has started.
  const refusedAt = refused.get(period);
  const hasRefused = refusedAt !== undefined && cap - spent <= refusedAt;
  // A cap of zero is a deliberate setting, so it raises no alert.
  const isReached = cap > 0n && (spent >= cap || hasRefused || wasReached);
  const isNear = cap > 0n && spent * 100n >= cap * NEAR_PERCENT;
  const alertOf = (kind: "cap.near" | "cap.reached") => (): Alert =>
    makeAlert(kind, { scope, ...named(), period, ...amounts(cap, spent) }, nowMs);
  return [
    // `cap.reached` makes `cap.near` redundant.
    ...crossing({ subject: nearSubject, isMet: isNear, value: name }, marks, nowMs, () => (isReached ? undefined : alertOf("cap.near")())),
    ...crossing({ subject: reachedSubject, isMet: isReached, value: reachedValue }, marks, nowMs, alertOf("cap.reached")),
  ];
}

function amounts(cap: Nanos, spent: Nanos): Record<string, string> {
  return { cap: formatDollars(cap), spent: formatDollars(spent) };
}

/** The period of a cap: `2027-01-31`, `2027-01`, or `total`. The alert is raised again in the next period. */
function nameOfPeriod(period: CapPeriod, nowMs: number): string {
  if (period === "total") return "total";
  return new Date(nowMs).toISOString().slice(0, period === "day" ? 10 : 7);
}
