import type { FaultKind } from "../money/failed-attempt.ts";

/** What a failure says about the upstream it happened at. Routing, health and cooldowns follow from it. */
export interface UpstreamFault {
  readonly kind: FaultKind;
  /** The upstream's Retry-After. */
  readonly retryAfterMs?: number | undefined;
  /** The same upstream would fail again (404), or may have done the work (504): the attempt is not repeated there. */
  readonly isFinal?: boolean;
  /** A rejection (403) for which the request may be the reason, and not the credential. */
  readonly mayBeOfRequest?: boolean;
}
