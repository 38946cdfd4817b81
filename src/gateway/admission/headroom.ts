import type { LeasedCredit, LedgerStore } from "../../stores/ledger/ledger-store.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { NO_CREDIT_LINE, spendable, availableCredit } from "../../money/credit-line.ts";
import { isOwnedBy, dimensionsOf, hasParts, partOf, purseOf } from "../../money/breakdown.ts";
import { capHeadrooms, hasCaps, tightestFirst, type Headroom, smaller, tightestCap, type RemainingAmounts } from "../../money/headroom.ts";
import type { Purse } from "../../money/purse.ts";
import type { Attribution, CountedBy } from "../../money/attribution.ts";
import type { Caps } from "../../money/limits.ts";
import type { Spender } from "../../money/tally.ts";
import { ApiError } from "../../requests/api-error.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";

/** Everything that the hold of a request must fit into: the account's credit, and the spend caps of key, account, end user and tags. */
export function headroomsFor(
  caller: KeyRecord,
  account: Account,
  ledger: LedgerStore,
  nowMs: number,
  capped: readonly CappedPurse[] = NONE_CAPPED,
): Headroom[] {
  const { creditNanos, heldNanos } = ledger.balanceOf(account.id);
  const inAll = spendable(creditNanos, account.creditLine);
  const ofAccount: Purse = { scope: "account", id: account.id };
  const credit: Headroom = {
    name: `the account ${account.id}`,
    kind: "credit",
    spendLimit: { scope: "account", what: "credit" },
    purse: ofAccount,
    leftNanos: inAll - heldNanos,
    leftIfIdleNanos: inAll,
    resetsAtMs: undefined,
    hasCreditLine: account.creditLine === NO_CREDIT_LINE ? undefined : true,
  };
  const headrooms = [credit];
  if (hasCaps(caller.caps)) {
    headrooms.push(...capHeadrooms({ scope: "key", id: caller.id }, caller.caps, ledger.spendingOf("key", caller.id, nowMs), nowMs));
  }
  if (hasCaps(account.caps)) {
    headrooms.push(...capHeadrooms(ofAccount, account.caps, ledger.spendingOf("account", account.id, nowMs), nowMs));
  }
  for (const { purse, caps } of capped) {
    headrooms.push(...capHeadrooms(purse, caps, ledger.spendingOf(purse.scope, purse.id, nowMs), nowMs));
  }
  const within = ledger.leases ? withinLeases(headrooms, ledger.leases) : headrooms;
  return account.showCredit ? within : within.map((headroom) => hiddenIfOf(ofAccount, headroom));
}

/** Hides the account's caps per end user and tag, too: they show what these end users and tags spend through other keys. */
function hiddenIfOf(account: Purse, headroom: Headroom): Headroom {
  const { scope } = headroom.purse!;
  return scope === account.scope || isOwnedBy(headroom.purse!, account) ? { ...headroom, isHidden: true } : headroom;
}

/**
 * A process that has leased a part of the credit may hold no more than that part. Only the tightest headroom of each purse is reduced to
 * the leased amount, so that the error for a request that does not fit names the limit that is short.
 */
function withinLeases(headrooms: readonly Headroom[], leases: LeasedCredit): Headroom[] {
  return headrooms.map((headroom) => {
    const purse = headroom.purse!;
    if (headroom !== tightestOf(purse, headrooms)) return headroom;
    const available = leases.availableOf(purse);
    return headroom.leftNanos <= available ? headroom : { ...headroom, leftNanos: available };
  });
}

function tightestOf({ scope, id }: Purse, headrooms: readonly Headroom[]): Headroom | undefined {
  return headrooms.filter(({ purse }) => purse?.scope === scope && purse.id === id).toSorted(tightestFirst)[0];
}

/** An end user or a tag of a request that has spend caps. */
export interface CappedPurse {
  readonly purse: Purse;
  readonly counted: CountedBy;
  readonly caps: Caps;
}

export const NONE_CAPPED: readonly CappedPurse[] = [];

/**
 * The end user and the tags of a request that have spend caps on its key or its account. A request without an end user counts as the end
 * user `none`.
 */
export function cappedPurses(caller: KeyRecord, account: Account, attribution: Attribution | undefined): readonly CappedPurse[] {
  if (!hasParts(caller.caps) && !hasParts(account.caps)) return NONE_CAPPED;
  return [...cappedOn("key", caller.id, caller.caps, attribution), ...cappedOn("account", account.id, account.caps, attribution)];
}

/**
 * Sums what the end user and the tags of a request have spent, when a spend cap is used for the first time. Returns undefined if the sums
 * exist already or there is no such cap: nearly always.
 */
export function loadSpending(
  caller: KeyRecord,
  account: Account,
  attribution: Attribution | undefined,
  ledger: LedgerStore,
): Promise<void> | undefined {
  const capped = cappedPurses(caller, account, attribution);
  return capped.length === 0 ? undefined : ledger.ensureCounted(capped.map(({ purse }) => purse));
}

function cappedOn(owner: Spender, ownerId: string, caps: Caps, attribution: Attribution | undefined): CappedPurse[] {
  return dimensionsOf(caps).map((by) => {
    const purse = purseOf({ owner, ownerId, by }, attribution);
    return { purse, counted: `${by}@${owner}`, caps: { ...partOf(caps, by)!, totalNanos: null } };
  });
}

/** The purses that a request of this key is paid from. Keys, end users and tags without spend caps have no purse. */
export function pursesOf(caller: KeyRecord, account: Account, capped: readonly CappedPurse[] = NONE_CAPPED): readonly Purse[] {
  const purses: Purse[] = [{ scope: "account", id: account.id }];
  if (hasCaps(caller.caps)) purses.push({ scope: "key", id: caller.id });
  for (const { purse } of capped) purses.push(purse);
  return purses;
}

/** The error codes that are sent with status 402. */
export const CREDIT_CODES: ReadonlySet<string> = new Set(["insufficient_credits", "budget_exceeded", "credits_in_flight"]);

/** Most requests in flight end within a few seconds. */
const IN_FLIGHT_SECONDS = 2;

/**
 * The 402 for a request that exceeds the remaining credit or a spend cap. `describe` makes a sentence from the remaining amount.
 * `isEnoughWhenIdle`: the amount would suffice if no other request held a part of it, so the client should retry. The amounts of an account
 * may be hidden, because they show what other keys spend.
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
 * The remaining amount, as a clause: "the account acme has $0.02 of credit left", "the account acme is $0.02 over its credit line", "the
 * daily spend cap of this key is exceeded by $0.02".
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
 * What remains of the account's credit and of the tightest spend cap of key, account, end user and tags, by the same figures as in
 * admission: if processes share the ledger, amounts that other processes have leased count as held. Undefined if the account hides these
 * amounts.
 */
export function remainingFor(
  caller: KeyRecord,
  account: Account,
  ledger: LedgerStore,
  nowMs: number,
  capped: readonly CappedPurse[] = NONE_CAPPED,
): RemainingAmounts | undefined {
  if (!account.showCredit) return undefined;
  const { creditNanos, heldNanos } = ledger.balanceOf(account.id);
  const ofKey = hasCaps(caller.caps) ? tightestCap(caller.caps, ledger.spendingOf("key", caller.id, nowMs), nowMs) : undefined;
  const ofAccount = hasCaps(account.caps) ? tightestCap(account.caps, ledger.spendingOf("account", account.id, nowMs), nowMs) : undefined;
  let capNanos = smaller(ofKey, ofAccount);
  for (const { purse, caps } of capped)
    capNanos = smaller(capNanos, tightestCap(caps, ledger.spendingOf(purse.scope, purse.id, nowMs), nowMs));
  return { creditNanos: availableCredit(creditNanos, heldNanos, account.creditLine), capNanos };
}

export function setRemainingHeaders(headers: Record<string, string>, { creditNanos, capNanos }: RemainingAmounts): void {
  if (creditNanos !== null) headers["x-tollgate-credit-remaining"] = formatDollars(creditNanos);
  if (capNanos !== undefined) headers["x-tollgate-cap-remaining"] = formatDollars(capNanos);
}
