import { writeCaps, type Caps } from "../../money/limits.ts";
import type { Purse } from "../../money/purse.ts";
import type { AccountStore } from "../accounts/account-store.ts";
import type { KeyStore } from "../keys/key-store.ts";

/**
 * Calls the listener with each key and account whose spend caps change, in the turn of the event loop in which they do, so that leases within the old
 * caps can be recalled. A new key or account has no leases.
 */
export function onCapsChanged(
  { keys, accounts }: { readonly keys: KeyStore; readonly accounts: AccountStore },
  listener: (purse: Purse) => void,
): void {
  keys.onChange(({ id, caps }, before) => {
    if (before && !isSame(caps, before.caps)) listener({ scope: "key", id });
  });
  accounts.onChange(({ id, caps }, before) => {
    if (before && !isSame(caps, before.caps)) listener({ scope: "account", id });
  });
}

function isSame(one: Caps, other: Caps): boolean {
  return one === other || writeCaps(one) === writeCaps(other);
}
