import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { NO_CREDIT_LINE, spendable } from "../../money/credit-line.ts";
import { isOwnedBy } from "../../money/breakdown.ts";
import { capHeadrooms, hasCaps, tightestFirst, type Headroom } from "../../money/headroom.ts";
import type { Purse } from "../../money/purse.ts";
import { NONE_CAPPED, type CappedPurse } from "./capped-purses.ts";

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
