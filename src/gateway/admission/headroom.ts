import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { NO_CREDIT_LINE, spendable } from "../../money/credit-line.ts";
import { isOwnedBy, dimensionsOf, hasParts, partOf, purseOf } from "../../money/breakdown.ts";
import { capHeadrooms, hasCaps, tightestFirst, type Headroom } from "../../money/headroom.ts";
import type { Purse } from "../../money/purse.ts";
import type { Attribution, CountedBy } from "../../money/attribution.ts";
import type { Caps } from "../../money/limits.ts";
import type { Spender } from "../../money/tally.ts";
import type { Nanos } from "../../money/money.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Gateway } from "../gateway.ts";
import { CREDIT_CODES } from "./insufficient-credit.ts";
import { assess, type Assessment, type ReceivedRequest } from "./admit.ts";

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
  const within = ledger.availableOf ? withinLeases(headrooms, ledger.availableOf) : headrooms;
  return account.showCredit ? within : within.map((headroom) => hiddenIfOf(ofAccount, headroom));
}

/** Also the caps of the account per end user and tag: they show what these spend by other keys. */
function hiddenIfOf(account: Purse, headroom: Headroom): Headroom {
  const { scope } = headroom.purse!;
  return scope === account.scope || isOwnedBy(headroom.purse!, account) ? { ...headroom, isHidden: true } : headroom;
}

/**
 * A process that has leased a part of the credit may hold no more than that. It is the tightest headroom of each purse that is reduced to it: the
 * error for a request that does not fit then names what it is short of.
 */
function withinLeases(headrooms: readonly Headroom[], availableOf: NonNullable<LedgerStore["availableOf"]>): Headroom[] {
  return headrooms.map((headroom) => {
    const purse = headroom.purse!;
    if (headroom !== tightestOf(purse, headrooms)) return headroom;
    const available = availableOf(purse);
    return headroom.leftNanos <= available ? headroom : { ...headroom, leftNanos: available };
  });
}

function tightestOf({ scope, id }: Purse, headrooms: readonly Headroom[]): Headroom | undefined {
  return headrooms.filter(({ purse }) => purse?.scope === scope && purse.id === id).toSorted(tightestFirst)[0];
}

/** An end user or a tag of a request that has spend caps of its own. */
export interface CappedPurse {
  readonly purse: Purse;
  readonly counted: CountedBy;
  readonly caps: Caps;
}

export const NONE_CAPPED: readonly CappedPurse[] = [];

/** The end user and the tags of a request that have spend caps on its key or its account. A request without an end user is of the user `none`. */
export function cappedPurses(caller: KeyRecord, account: Account, attribution: Attribution | undefined): readonly CappedPurse[] {
  if (!hasParts(caller.caps) && !hasParts(account.caps)) return NONE_CAPPED;
  return [...cappedOn("key", caller.id, caller.caps, attribution), ...cappedOn("account", account.id, account.caps, attribution)];
}

/**
 * Counts what the end user and the tags of a request have spent, where a spend cap is used for the first time. Undefined where that is counted, or
 * where there is no such cap: nearly always.
 */
export function countSpending(
  caller: KeyRecord,
  account: Account,
  attribution: Attribution | undefined,
  ledger: LedgerStore,
): Promise<void> | undefined {
  const capped = cappedPurses(caller, account, attribution);
  return capped.length === 0 ? undefined : ledger.startCounting?.(capped.map(({ purse }) => purse));
}

function cappedOn(owner: Spender, ownerId: string, caps: Caps, attribution: Attribution | undefined): CappedPurse[] {
  return dimensionsOf(caps).map((by) => {
    const purse = purseOf({ owner, ownerId, by }, attribution);
    return { purse, counted: `${by}@${owner}`, caps: { ...partOf(caps, by)!, totalNanos: null } };
  });
}

/** The part of the credit that this process has leased is too small for a request. The account may have more. */
export class LeaseShortage {
  readonly purses: readonly Purse[];
  readonly nanos: Nanos;

  constructor(purses: readonly Purse[], nanos: Nanos) {
    this.purses = purses;
    this.nanos = nanos;
  }
}

/**
 * Assesses a request in a process that has leased a part of the credit. Returns the shortage where it would be rejected, or its output
 * shortened, because of credit or a spend cap: more is leased before that happens.
 */
export function assessWithinLease(received: ReceivedRequest, gateway: Gateway): Assessment | LeaseShortage {
  try {
    const assessment = assess(received, gateway);
    return isShort(assessment) ? shortageOf(received, gateway) : assessment;
  } catch (error) {
    if (error instanceof ApiError && CREDIT_CODES.has(error.code)) return shortageOf(received, gateway);
    throw error;
  }
}

/** Whether more credit would allow more output, or another fallback. */
function isShort({ hold, fallbacks: { candidates, excluded } }: Assessment): boolean {
  return (
    hold.isShortened || candidates.some(({ isShortened }) => isShortened) || excluded.some(({ reason }) => reason === "not_affordable")
  );
}

/** Leases what a request needs, where this process has leased too little, and adds up spending. For callers that only report, and hold nothing. */
export async function leaseFor(received: ReceivedRequest, gateway: Gateway): Promise<void> {
  await countSpending(received.caller, gateway.accountOf(received.caller), received.attribution, gateway.ledger);
  if (!gateway.ledger.widen) return;
  const assessed = assessWithinLease(received, gateway);
  if (assessed instanceof LeaseShortage) await gateway.ledger.widen(assessed.purses, assessed.nanos);
}

/** The purses that a request of this key is paid from. A key without spend caps has none, and so have end users and tags without. */
export function pursesOf(caller: KeyRecord, account: Account, capped: readonly CappedPurse[] = NONE_CAPPED): readonly Purse[] {
  const purses: Purse[] = [{ scope: "account", id: account.id }];
  if (hasCaps(caller.caps)) purses.push({ scope: "key", id: caller.id });
  for (const { purse } of capped) purses.push(purse);
  return purses;
}

/** The whole cost bound of the request, as if the credit had no end. */
function shortageOf(received: ReceivedRequest, gateway: Gateway): LeaseShortage {
  const { heldNanos, account, capped } = assess(received, gateway, undefined, () => []);
  return new LeaseShortage(pursesOf(received.caller, account, capped), heldNanos);
}
