import type { RequestHistoryFilter, HistoricalRequest } from "../../stores/ledger/request-history-store.ts";
import type { ErrorCode } from "../../requests/api-error.ts";
import type { Nanos } from "../../money/money.ts";
import type { Price } from "../../money/price.ts";

/** The simulation of a change: the requests that it concerns, and its effect on them. */
export interface Simulation {
  readonly concerns: Omit<RequestHistoryFilter, "sinceMs">;
  /** The judge of requests that were admitted from this time on. */
  readonly judge: (fromMs: number) => Promise<Judge>;
  /** Whether every key with such a request is affected, if only by the deprecation headers of its responses. */
  readonly affectsAll: boolean;
  /** The new price, if the change brings one. */
  readonly price: Price | undefined;
  /** The replacement that callers would have been referred to. */
  readonly replacement: string | undefined;
}

/** Receives requests in the order of admission, and decides as admission would have after the change. */
export interface Judge {
  /** The error of a request, if it would have been rejected. Takes nothing. */
  refusalOf(request: HistoricalRequest): ErrorCode | undefined;
  /** The charge for a request that is not rejected. */
  chargeOf(request: HistoricalRequest): Nanos;
  /** Admits a request, which holds its share until its end. */
  take(request: HistoricalRequest): void;
  end(request: HistoricalRequest): void;
}

/** The charge for a request so far. */
export function chargedFor({ end }: HistoricalRequest): Nanos {
  return end?.chargedNanos ?? 0n;
}
