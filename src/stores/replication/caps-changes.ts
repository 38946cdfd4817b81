import { capsOfPurse } from "../../money/breakdown.ts";
import type { PurseTerms } from "../../money/credit-line.ts";
import type { Purse } from "../../money/purse.ts";
import type { AccountStore } from "../accounts/account-store.ts";
import type { KeyStore } from "../keys/key-store.ts";

interface CappedStores {
  readonly keys: KeyStore;
  readonly accounts: AccountStore;
}

/** Finds the spend caps of purses, and the credit lines of accounts, in the stores. */
export function capsIn({ keys, accounts }: CappedStores): (purse: Purse) => PurseTerms {
  return (purse) =>
    capsOfPurse(purse, (owner, id) => {
      if (owner === "key") return keys.find(id)?.caps;
      const account = accounts.find(id);
      return account && { ...account.caps, creditLine: account.creditLine };
    });
}

/**
 * Calls the listener with each key and account whose spend caps or credit line change, in the turn of the event loop in which they change,
 * so that leases within the old caps can be recalled. A new key or account has no leases.
 */
export function onCapsChanged({ keys, accounts }: CappedStores, listener: (purse: Purse) => void): void {
  keys.onChange(({ id, caps }, before) => {
    if (before && !Bun.deepEquals(caps, before.caps)) listener({ scope: "key", id });
  });
  accounts.onChange(({ id, caps, creditLine }, before) => {
    if (before && !(Bun.deepEquals(caps, before.caps) && creditLine === before.creditLine)) listener({ scope: "account", id });
  });
}
