import { countedPurses } from "../../../money/breakdown.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import { type Purse, purseKey } from "../../../money/purse.ts";
import type { ProcessChange } from "./process-change.ts";

/**
 * The purses that an entry holds of or is paid from. Which end users and tags are among them was decided by the spend caps when the request
 * was admitted.
 */
export function pursesOf(entry: Entry): readonly Purse[] {
  const account: Purse = { scope: "account", id: entry.accountId };
  if (!("keyId" in entry)) return [account];
  const key: Purse = { scope: "key", id: entry.keyId };
  return entry.attribution?.counts ? [account, key, ...countedPurses(entry)] : [account, key];
}

export function isPaidFrom(purse: Purse, entry: Entry): boolean {
  return pursesOf(entry).some((each) => purseKey(each) === purseKey(purse));
}

/** The purses from which a process returns a part of its lease. */
export function returnedIn(changes: readonly ProcessChange[]): readonly Purse[] {
  return changes.flatMap((change) => (change.kind === "lease" && change.bound === "at_most" ? [change.purse] : []));
}
