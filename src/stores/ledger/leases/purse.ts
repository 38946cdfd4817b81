import type { Caps } from "../../../money/limits.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Spender } from "../../../money/tally.ts";

/** A balance that gateway processes lease from: an account (its credit, within its spend caps), or a key with spend caps. */
export interface Purse {
  readonly scope: Spender;
  readonly id: string;
}

/** A purse as a key of maps. */
export type PurseKey = `${Spender}:${string}`;

export function purseKey({ scope, id }: Purse): PurseKey {
  return `${scope}:${id}`;
}

/** The part of a purse that a process may spend. */
export interface Lease {
  readonly purse: Purse;
  readonly nanos: Nanos;
}

/** The spend caps of an account or a key. */
export type CapsOf = (purse: Purse) => Caps;

/** A purse as the authority sees it, for one process. The process's own lease is a function of the changes applied, so a late copy does no harm. */
export interface PurseState {
  readonly purse: Purse;
  /** The lease of the process, after the last of its changes that was applied. */
  readonly leaseNanos: Nanos;
  /** Leases of the other processes, and holds of the authority's own process. */
  readonly elsewhereNanos: Nanos;
  /** The account's credit; zero for a key, which has none. */
  readonly creditNanos: Nanos;
  readonly dayNanos: Nanos;
  readonly monthNanos: Nanos;
  readonly totalNanos: Nanos;
}
