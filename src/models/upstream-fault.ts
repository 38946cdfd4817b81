/**
 * What a failure says about the upstream that it happened at, for whoever decides where the next try goes:
 * - `unreachable`: there was no connection, so nothing was sent;
 * - `busy`: this credential has had its share of this model for now (429);
 * - `credential`: it was refused, or has no money behind it;
 * - `failed`: it says so itself (5xx, or no such model);
 * - `slow`: it was not waited for any longer;
 * - `broken`: it broke off, or its answer is none;
 * - `unsupported`: its model cannot take what the request contains, such as images. Another's may, and it is well otherwise;
 * - `unsaid`: its format has no words for the request, so it was not asked. Another's may.
 */
export interface UpstreamFault {
  readonly kind: "unreachable" | "busy" | "credential" | "failed" | "slow" | "broken" | "unsupported" | "unsaid";
  /** What it said about when to come again. */
  readonly retryAfterMs?: number | undefined;
  /** The same upstream would fail again (404), or may have done the work (504): it is not retried there. */
  readonly isFinal?: boolean;
}
