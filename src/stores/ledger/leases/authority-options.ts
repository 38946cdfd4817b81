import type { Entry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { Books } from "../books/books.ts";
import type { Progress } from "../ledger-store.ts";
import type { CapsOf } from "./purse-state.ts";

/** What `AuthorityBooks` needs of the ledger and of the connections. */
export interface AuthorityOptions {
  /** The books of the whole ledger. */
  readonly books: Books;
  /** Adds an entry to the books. The caller writes all entries of a call in one transaction with the state of the instance. */
  readonly add: (entry: Entry) => void;
  readonly capsOf: CapsOf;
  /** What was charged for a request, with its late adjustment; undefined where it is not in the ledger. */
  readonly chargeOf: (requestId: string) => Nanos | undefined;
  /** The last reported progress of responses in flight. */
  readonly progress: () => ReadonlyMap<string, Progress>;
  /** Whether a process is connected, but does not answer. */
  readonly isSilent: (instanceId: string) => boolean;
  readonly nowMs: () => number;
}
