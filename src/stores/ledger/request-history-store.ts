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
  /** The model that answered, whose price was charged. */
  readonly model: string;
  /** The model that the caller requested. It differs from `model` if a fallback answered. */
  readonly requestedModel: string;
  /** The time of its admission. */
  readonly atMs: number;
  readonly heldNanos: Nanos;
  readonly attribution: Attribution | undefined;
  /** Undefined while the request is in flight. */
  readonly end: HistoricalClosing | undefined;
}

export interface HistoricalClosing {
  readonly id: number;
  readonly atMs: number;
  readonly priceVersion: string;
  readonly chargedNanos: Nanos;
  /** Undefined if nothing was charged, because no upstream answered. */
  readonly answer: { readonly usage: Usage; readonly upstream: string } | undefined;
}

export interface RequestHistoryFilter {
  /** Only requests that were admitted at or after this time. */
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
   * history at a time. Returns early, without an error, when the signal is aborted. Throws `overloaded` if entries in memory cannot first
   * be written to the database.
   */
  each(filter: RequestHistoryFilter, take: (requests: readonly HistoricalRequest[]) => void, signal?: CancelSignal): Promise<void>;
}
