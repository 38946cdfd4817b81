import type { RequestHistoryFilter, HistoricalRequest } from "../../stores/ledger/request-history-store.ts";
import type { ErrorCode } from "../../requests/api-error.ts";
import type { Nanos } from "../../money/money.ts";
import type { Price } from "../../money/price.ts";
import type { Purse } from "../../money/purse.ts";

/** The simulation of a change: the requests that it affects, and its effect on them. */
export interface Simulation {
  /**
   * The filters of the affected requests: a request is affected if one of them matches. There is more than one filter only if the admission
   * has no state, because the requests are then not in order.
   */
  readonly concerns: readonly Omit<RequestHistoryFilter, "sinceMs">[];
  /** Starts the simulated admission of requests from this time on. */
  readonly startAdmission: (fromMs: number) => Promise<SimulatedAdmission>;
  /** Whether every key with such a request is affected, even if only by the deprecation headers of its responses. */
  readonly affectsAll: boolean;
  /** The new price, if the change brings exactly one. */
  readonly price: Price | undefined;
  /** When the first of the new prices takes effect. Undefined if they take effect immediately, or if there are no new prices. */
  readonly pricesFromMs: number | undefined;
  /** The replacement model that callers would have been advised to use. */
  readonly replacement: string | undefined;
}

/** Why a request would have been rejected. */
export interface Refusal {
  readonly code: ErrorCode;
  /** The purse that has the spend cap or rate limit. */
  readonly purse?: Purse;
}

/** Admission as it would have been decided after the change. It receives requests in the order in which they were admitted. */
export interface SimulatedAdmission {
  /** The reason if the request would have been rejected. Changes no counter. */
  refusalOf(request: HistoricalRequest): Refusal | undefined;
  /** The charge for a request that is not rejected. */
  chargeOf(request: HistoricalRequest): Nanos;
  /** Admits a request: it counts against rate limits and caps, and is in flight until `end`. */
  take(request: HistoricalRequest): void;
  end(request: HistoricalRequest): void;
}

/** The charge for a request without the change. */
export function chargedFor({ end }: HistoricalRequest): Nanos {
  return end?.chargedNanos ?? 0n;
}
