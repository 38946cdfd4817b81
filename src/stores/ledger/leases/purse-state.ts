import type { PurseTerms } from "../../../money/credit-line.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Purse } from "../../../money/purse.ts";

/** The part of a purse that a process may spend. */
export interface Lease {
  readonly purse: Purse;
  readonly nanos: Nanos;
}

/** The spend caps of an account, a key, an end user or a tag, and the credit line of an account. */
export type CapsOf = (purse: Purse) => PurseTerms;

/**
 * A purse as the authority sees it, for one process. The process's own lease follows from the changes that were applied, so a late copy
 * does no harm.
 */
export interface PurseState {
  readonly purse: Purse;
  /** The authority's time. */
  readonly atMs: number;
  /** The lease of the process, after the last of its changes that was applied. */
  readonly leaseNanos: Nanos;
  /** Leases of the other processes, and holds of the authority's own process. */
  readonly elsewhereNanos: Nanos;
  /** Whether a process that is away has a lease of the purse. */
  readonly isStranded: boolean;
  /** The account's credit; zero for a key, which has no credit. */
  readonly creditNanos: Nanos;
  readonly dayNanos: Nanos;
  readonly monthNanos: Nanos;
  readonly totalNanos: Nanos;
}
