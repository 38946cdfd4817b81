import type { FaultKind } from "../money/failed-attempt.ts";

/** What a failure says about the upstream where it happened. Routing, health and cooldowns use it. */
export interface UpstreamFault {
  readonly kind: FaultKind;
  /** The upstream's Retry-After. */
  readonly retryAfterMs?: number | undefined;
  /** The attempt is not repeated at the same upstream: it would fail again (404), or may already have done the work (504). */
  readonly isFinal?: boolean;
  /** A rejection (403) that may be caused by the request instead of the credential. */
  readonly mayBeOfRequest?: boolean;
}
