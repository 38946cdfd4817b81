import type { Nanos } from "../../money/money.ts";
import type { Usage } from "../../money/usage.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

/** A request that was let in, as the ledger has it. */
export interface HistoricalRequest {
  /** The id of its hold. Holds and their ends count up together, in the order in which they happened. */
  readonly id: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  /** When it was let in. */
  readonly atMs: number;
  readonly heldNanos: Nanos;
  /** Undefined while it is under way. */
  readonly end: HistoricalClosing | undefined;
}

export interface HistoricalClosing {
  readonly id: number;
  readonly atMs: number;
  readonly priceVersion: string;
  readonly chargedNanos: Nanos;
  /** Undefined where nothing was charged, because nothing was answered. */
  readonly answer: { readonly usage: Usage; readonly upstream: string } | undefined;
}

export interface RequestHistoryFilter {
  /** Those that were let in at this moment or later. */
  readonly sinceMs: number;
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
}

/** Reads requests of the past, for those who ask what would have become of them. */
export interface RequestHistoryStore {
  /**
   * Hands over the requests that match, in the order in which they were let in, in slices between which others are served. Ends
   * early where nobody wants to hear it any more.
   */
  each(filter: RequestHistoryFilter, take: (requests: readonly HistoricalRequest[]) => void, signal?: CancelSignal): Promise<void>;
}
