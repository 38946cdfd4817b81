import type { AccountTable } from "../accounts/account-table.ts";
import type { KeyTable } from "../keys/key-table.ts";

/** The name of the service between the owner process and the replicas of its gateway processes. */
export const FEED = "feed";

/**
 * The notices of the feed. A snapshot consists of `begin`, the catalog, all accounts, all keys, and `complete`. Changes are sent with the
 * same notices, even during the snapshot. Each notice has the current state at the time of sending, and notices arrive in order, so the
 * last one is current. An account is sent before its keys.
 */
export interface FeedNotices {
  readonly begin: null;
  /**
   * The ids of all models, upstreams and price lists, the endpoints that are on, and the records that the process does not have yet, as tagged JSON. They are sent
   * together because they depend on each other.
   */
  readonly catalog: unknown;
  readonly accounts: readonly AccountTable[];
  readonly keys: readonly KeyTable[];
  /** The ids of records that were deleted. */
  readonly removed: { readonly accounts: readonly string[]; readonly keys: readonly string[] };
  readonly complete: null;
}

/** A call that a process answers once it has handled all notices that were sent before. */
export const HANDLED = `${FEED}.handled`;
