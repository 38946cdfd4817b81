import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { capHeadrooms, hasCaps, type Headroom } from "../../money/headroom.ts";

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
  return headrooms;
}
