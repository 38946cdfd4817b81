import { ApiError } from "../../requests/api-error.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import { type Headroom, hasCaps, smaller, tightestCap, type Remaining } from "../../money/headroom.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { availableCredit } from "../../money/credit-line.ts";
import { NONE_CAPPED, type CappedPurse } from "./headroom.ts";
import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";

/** The codes of the 402s. */
export const CREDIT_CODES: ReadonlySet<string> = new Set(["insufficient_credits", "budget_exceeded", "credits_in_flight"]);

/** Most requests in flight end within a few seconds. */
const IN_FLIGHT_SECONDS = 2;

/**
 * The 402 for a request that a credit or a spend cap does not pay for. `describe` makes a sentence from the remaining amount.
 * `isEnoughWhenIdle`: it would pay if no other request held a part of it, so the client should retry. The amounts of an account may be hidden:
 * they show what other keys spend.
 */
export function insufficientCredit(headroom: Headroom, isEnoughWhenIdle: boolean, describe: (remaining: string) => string): ApiError {
  const sentence = describe(describeRemaining(headroom));
  if (isEnoughWhenIdle) {
    const held = headroom.isHidden ? "more" : `another ${inDollars(headroom.leftIfIdleNanos - headroom.leftNanos)}`;
    const message = `${sentence}; ${held} is held for requests in flight. Please try again in ${IN_FLIGHT_SECONDS}s.`;
    return new ApiError("credits_in_flight", message, { retryAfterSeconds: IN_FLIGHT_SECONDS });
  }
  const shortfall = headroom.spendLimit && { ...headroom.spendLimit, leftNanos: headroom.leftIfIdleNanos };
  if (headroom.kind === "credit") return new ApiError("insufficient_credits", `${sentence}.`, { shortfall });
  const reset =
    headroom.resetsAtMs === undefined
      ? "It does not reset; the operator can raise it."
      : `It resets at ${new Date(headroom.resetsAtMs).toISOString()}.`;
  return new ApiError("budget_exceeded", `${sentence}. ${reset}`, { shortfall });
}

/**
 * What remains, as a clause: "the account acme has $0.02 of credit left", "the account acme is $0.02 over its credit line", "the daily spend cap of this key is exceeded by
 * $0.02".
 */
export function describeRemaining({ name, kind, leftNanos, hasCreditLine, isHidden }: Headroom): string {
  const isCredit = kind === "credit";
  if (isHidden) return `${name} has too little ${isCredit ? "credit " : ""}left`;
  if (leftNanos < 0n && hasCreditLine) return `${name} is ${inDollars(-leftNanos)} over its credit line`;
  if (leftNanos < 0n) return isCredit ? `${name} is ${inDollars(-leftNanos)} in debt` : `${name} is exceeded by ${inDollars(-leftNanos)}`;
  return `${name} has ${inDollars(leftNanos)} ${hasCreditLine ? "of its credit line " : isCredit ? "of credit " : ""}left`;
}

export function inDollars(nanos: Nanos): string {
  return `$${formatDollars(nanos)}`;
}

/**
 * What remains of the account's credit and of the tightest spend cap of key, account, end user and tags, by the figures that requests are admitted by: where
 * processes share the ledger, what the others have leased counts as held. Undefined where the account does not show it.
 */
export function remainingFor(
  caller: KeyRecord,
  account: Account,
  ledger: LedgerStore,
  nowMs: number,
  capped: readonly CappedPurse[] = NONE_CAPPED,
): Remaining | undefined {
  if (!account.showCredit) return undefined;
  const { creditNanos, heldNanos } = ledger.balanceOf(account.id);
  const ofKey = hasCaps(caller.caps) ? tightestCap(caller.caps, ledger.spendingOf("key", caller.id, nowMs), nowMs) : undefined;
  const ofAccount = hasCaps(account.caps) ? tightestCap(account.caps, ledger.spendingOf("account", account.id, nowMs), nowMs) : undefined;
  let capNanos = smaller(ofKey, ofAccount);
  for (const { purse, caps } of capped)
    capNanos = smaller(capNanos, tightestCap(caps, ledger.spendingOf(purse.scope, purse.id, nowMs), nowMs));
  return { creditNanos: availableCredit(creditNanos, heldNanos, account.creditLine), capNanos };
}

export function setRemainingHeaders(headers: Record<string, string>, { creditNanos, capNanos }: Remaining): void {
  if (creditNanos !== null) headers["x-tollgate-credit-remaining"] = formatDollars(creditNanos);
  if (capNanos !== undefined) headers["x-tollgate-cap-remaining"] = formatDollars(capNanos);
}
