import type { Entry } from "../../../money/ledger-entry.ts";
import type { Purse } from "../../../money/purse.ts";
import type { LeasedCredit } from "../ledger-store.ts";

/**
 * The leases of other processes, as the ledger of the owner process uses them. The owner process serves requests of its own and changes the
 * credit. Its own requests may hold everything that is not leased. Until all processes have stated their leases, they may hold nothing, and
 * `widen` throws `overloaded`.
 */
export interface CreditLeases extends LeasedCredit {
  /** Whether an account may be charged for a cost above its hold. */
  mayOverdraw(accountId: string): boolean;
  /** Resolves when the processes have returned their unused credit, or after a short wait. */
  recallAll(purses: readonly Purse[]): Promise<void>;
  /** Notes an entry of the owner process: a new entry, or the end of a hold, may leave a purse with more credit than before. */
  noteOwn(entry: Entry): void;
}
