/**
 * What a failed attempt says about its upstream. Routing uses it to decide where the next attempt goes:
 * - `unreachable`: no connection was established, so nothing was sent;
 * - `proxy`: the egress proxy opened no connection, so nothing was sent; it says nothing about the upstream;
 * - `busy`: the provider limits this credential's rate for this model (429);
 * - `credential`: the provider rejected the credential, or its account has no money;
 * - `failed`: the upstream reports a failure (5xx, or an unknown model);
 * - `slow`: a timeout expired;
 * - `broken`: the connection broke, or the response is not valid;
 * - `unsupported`: this model cannot process a part of the request, such as images; another model may, and the upstream is healthy;
 * - `not_sent`: the upstream's API format cannot express the request, so nothing was sent; another upstream may serve it.
 */
export type FaultKind = "unreachable" | "proxy" | "busy" | "credential" | "failed" | "slow" | "broken" | "unsupported" | "not_sent";

/** An attempt that did not produce a response: its route, and the failure. The caller does not pay for it. */
export interface FailedAttempt {
  readonly upstream: string;
  readonly upstreamModel: string;
  /**
   * `refused`: the upstream rejected the prompt as too long or by its content policy, or its filter removed the whole response. Recorded
   * only if a fallback was due.
   */
  readonly fault: Exclude<FaultKind, "not_sent"> | "refused";
  readonly durationMs: number;
  /** A description of the failure, for operators. */
  readonly detail: string;
}
