import type { Entry } from "../../../money/ledger-entry.ts";
import type { Purse } from "../../../money/purse.ts";
import type { ProcessChange } from "./process-change.ts";

/** The purses whose credit, caps or holds an entry changes. */
export function pursesOf(entry: Entry): readonly Purse[] {
  const account: Purse = { scope: "account", id: entry.accountId };
  return "keyId" in entry ? [account, { scope: "key", id: entry.keyId }] : [account];
}

/** The purses of which a process returns a part. */
export function returnedIn(changes: readonly ProcessChange[]): readonly Purse[] {
  return changes.flatMap((change) => (change.kind === "lease" && change.bound === "at_most" ? [change.purse] : []));
}
