import type { PastFilter, PastRequest } from "../../stores/ledger/past-request-store.ts";
import type { ErrorCode } from "../../requests/gateway-error.ts";
import type { Nanos } from "../../money/money.ts";
import type { Price } from "../../money/price.ts";

/** A change that has not been made: whose requests it concerns, and what it would have done to them. */
export interface WhatIf {
  readonly concerns: Omit<PastFilter, "sinceMs">;
  /** The judge of requests that were let in from this moment on. */
  readonly judge: (fromMs: number) => Promise<Judge>;
  /** Every key that made such a request would have noticed, if only by what its replies announce. */
  readonly isNoticedByAll: boolean;
  /** The price that the change brings, if it does. */
  readonly price: Price | undefined;
  /** The model that callers would have been sent to. */
  readonly replacement: string | undefined;
}

/** Hears of requests as admission did, one after the other, and decides as it would have. */
export interface Judge {
  /** What a request would have been refused with. Nothing is taken. */
  refusalOf(request: PastRequest): ErrorCode | undefined;
  /** What one that is not refused would have been charged. */
  chargeOf(request: PastRequest): Nanos;
  /** A request is let in, and has what it takes until its end. */
  take(request: PastRequest): void;
  end(request: PastRequest): void;
}

/** What was charged for a request so far. */
export function chargedFor({ end }: PastRequest): Nanos {
  return end?.chargedNanos ?? 0n;
}
