import type { Entry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Purse } from "../../../money/purse.ts";

/** The leases of other processes, as the ledger of the owner process sees them, which serves requests of its own and changes the credit. */
export interface CreditLeases {
  /** What the owner's own requests may hold: everything that is not leased. Nothing while processes have yet to state their leases. */
  availableOf(purse: Purse): Nanos;
  /** Recalls the purses that have less than this available. Throws `overloaded` while processes have yet to state their leases. */
  widen(purses: readonly Purse[], nanos: Nanos): Promise<void>;
  /** Whether an account may be charged for a cost above its hold. */
  mayOverdraw(accountId: string): boolean;
  /** Resolves when the processes have returned what they do not use, or after a short wait. */
  recallAll(purses: readonly Purse[]): Promise<void>;
  /** An entry of the owner's own, or the hold that one of them has ended, may have left a purse with more than before. */
  noteOwn(entry: Entry): void;
}
