import type { Attribution } from "../../money/attribution.ts";
import type { Nanos } from "../../money/money.ts";
import type { Usage } from "../../money/usage.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

/** A past request that was admitted, as the ledger recorded it. */
export interface HistoricalRequest {
  /** The id of its hold. Holds and their closing entries are numbered together, in the order in which they happened. */
  readonly id: number;
  readonly accountId: string;
  readonly keyId: string;
  /** The model that answered, by whose price it was charged. */
  readonly model: string;
  /** The model that the caller requested: another one where a fallback answered. */
  readonly requestedModel: string;
  /** When it was admitted. */
  readonly atMs: number;
  readonly heldNanos: Nanos;
  readonly attribution: Attribution | undefined;
  /** Undefined while it is in flight. */
  readonly end: HistoricalClosing | undefined;
}

export interface HistoricalClosing {
  readonly id: number;
  readonly atMs: number;
  readonly priceVersion: string;
  readonly chargedNanos: Nanos;
  /** Undefined where nothing was charged, because no upstream answered. */
  readonly answer: { readonly usage: Usage; readonly upstream: string } | undefined;
}

export interface RequestHistoryFilter {
  /** Only requests that were admitted at this moment or later. */
  readonly sinceMs: number;
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  /** The model that answered. */
  readonly model?: string | undefined;
}

/** The history of requests, for previews, which replay it under changed settings. Read-only. */
export interface RequestHistoryStore {
  /**
   * Passes the matching requests to `take` in the order of their admission, in batches between which other requests are served. Reads one
   * history at a time. Ends early, without an error, when the signal is aborted. Throws `overloaded` where entries in memory cannot be
   * written to the database first.
   */
  each(filter: RequestHistoryFilter, take: (requests: readonly HistoricalRequest[]) => void, signal?: CancelSignal): Promise<void>;
}
