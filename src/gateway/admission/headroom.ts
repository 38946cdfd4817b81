import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { capHeadrooms, hasCaps, tightestFirst, type Headroom } from "../../money/headroom.ts";
import type { Spender } from "../../money/tally.ts";

/** Everything that the hold of a request must fit into: the account's credit, and the spend caps of the key and the account. */
export function headroomsFor(caller: KeyRecord, account: Account, ledger: LedgerStore, nowMs: number): Headroom[] {
  const { creditNanos, heldNanos } = ledger.balanceOf(account.id);
  const credit: Headroom = {
    name: `the account ${account.id}`,
    kind: "credit",
    spendLimit: { scope: "account", what: "credit" },
    leftNanos: creditNanos - heldNanos,
    leftIfIdleNanos: creditNanos,
    resetsAtMs: undefined,
  };
  const headrooms = [credit];
  if (hasCaps(caller.caps)) headrooms.push(...capHeadrooms("key", caller.caps, ledger.spendingOf("key", caller.id, nowMs), nowMs));
  if (hasCaps(account.caps)) {
    headrooms.push(...capHeadrooms("account", account.caps, ledger.spendingOf("account", account.id, nowMs), nowMs));
  }
  const within = ledger.availableOf ? withinLeases(headrooms, caller, account, ledger.availableOf) : headrooms;
  return account.showCredit ? within : within.map(hiddenIfOfAccount);
}

function hiddenIfOfAccount(headroom: Headroom): Headroom {
  return headroom.spendLimit?.scope === "account" ? { ...headroom, isHidden: true } : headroom;
}

/**
 * A process that has leased a part of the credit may hold no more than that. It is the tightest headroom of the account, or of the key, that is
 * reduced to it: the error for a request that does not fit then names what it is short of.
 */
function withinLeases(
  headrooms: readonly Headroom[],
  caller: KeyRecord,
  account: Account,
  availableOf: NonNullable<LedgerStore["availableOf"]>,
): Headroom[] {
  const tightest = { account: tightestOf("account", headrooms), key: tightestOf("key", headrooms) };
  const available = { account: availableOf({ scope: "account", id: account.id }), key: availableOf({ scope: "key", id: caller.id }) };
  return headrooms.map((headroom) => {
    const { scope } = headroom.spendLimit!;
    if (headroom !== tightest[scope] || headroom.leftNanos <= available[scope]) return headroom;
    return { ...headroom, leftNanos: available[scope] };
  });
}

function tightestOf(scope: Spender, headrooms: readonly Headroom[]): Headroom | undefined {
  return headrooms.filter(({ spendLimit }) => spendLimit?.scope === scope).toSorted(tightestFirst)[0];
}
