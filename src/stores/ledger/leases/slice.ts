import type { Nanos } from "../../../money/money.ts";
import type { Purse } from "../../../money/purse.ts";
import type { PurseState } from "./purse-state.ts";

/** A process's part of a purse: the lease, less the charges made since, and what its requests in flight hold of it. */
export interface Slice {
  readonly purse: Purse;
  leaseNanos: Nanos;
  heldNanos: Nanos;
  /** The authority's figures, from its last reply about this purse. */
  state: PurseState | undefined;
  /** Charges that these figures do not include. */
  chargedNanos: Nanos;
  /** How often `returnUnused` was called since the last hold. */
  unused: number;
}

/** A key without spend caps has no lease: nothing limits what is held of it. */
export function isLeased({ purse, state }: Slice): boolean {
  return purse.scope === "account" || state !== undefined;
}

/** Lowers the lease at once: the authority will lower credit and lease by the same amount. */
export function charge(slice: Slice, nanos: Nanos): void {
  slice.leaseNanos = slice.leaseNanos > nanos ? slice.leaseNanos - nanos : 0n;
  slice.chargedNanos += nanos;
}
