import type { Entry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Purse } from "../../../money/purse.ts";

/**
 * The leases of other processes, as the ledger of the owner process uses them. The owner process serves requests of its own and changes the
 * credit.
 */
export interface CreditLeases {
  /**
   * The amount that the owner's own requests may hold: everything that is not leased. Zero while processes have yet to state their leases.
   */
  availableOf(purse: Purse): Nanos;
  /** Recalls the purses with less than this amount available. Throws `overloaded` while processes have yet to state their leases. */
  widen(purses: readonly Purse[], nanos: Nanos): Promise<void>;
  /** Whether an account may be charged for a cost above its hold. */
  mayOverdraw(accountId: string): boolean;
  /** Resolves when the processes have returned their unused credit, or after a short wait. */
  recallAll(purses: readonly Purse[]): Promise<void>;
  /** Notes an entry of the owner process: a new entry, or the end of a hold, may leave a purse with more credit than before. */
  noteOwn(entry: Entry): void;
}
