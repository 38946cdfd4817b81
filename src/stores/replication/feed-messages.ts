import type { AccountTable } from "../accounts/account-table.ts";
import type { KeyTable } from "../keys/key-table.ts";

/** The name of the service between the owner process and the replicas of its gateway processes. */
export const FEED = "feed";

/**
 * The notices of the feed. `begin`, everything there is, and `complete` are a snapshot; changes are sent in between and after it with the same
 * notices. Everything is sent as it is at that moment, and notices arrive in order: what arrives last is current. An account is sent before its
 * keys.
 */
export interface FeedNotices {
  readonly begin: null;
  /** Models and upstreams, all of them, as tagged JSON. They are few, and depend on each other. */
  readonly catalog: unknown;
  readonly accounts: readonly AccountTable[];
  readonly keys: readonly KeyTable[];
  readonly complete: null;
}

/** The call that a process answers once it has handled all notices that were sent before. */
export const HANDLED = `${FEED}.handled`;
