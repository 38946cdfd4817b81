import type { FaultKind } from "../money/failed-attempt.ts";

/**
 * How an attempt ended: a response (`answered`, even if it later broke off), a rejection caused by the request itself (`refused`), a caller
 * that disconnected (`abandoned`), or the upstream's fault.
 */
export type AttemptOutcome = "answered" | "refused" | "abandoned" | Exclude<FaultKind, "not_sent">;

/** An attempt while it runs. Times are from the monotonic clock. */
export interface Attempt {
  readonly upstream: string;
  readonly upstreamModel: string;
  readonly startedAt: number;
  /**
   * Time until the attempt failed or its response began; for a JSON response, until the whole response had arrived. Undefined while the
   * attempt is in flight.
   */
  durationMs: number | undefined;
  outcome: AttemptOutcome | undefined;
  /** Why the attempt failed, for operators. */
  detail: string | undefined;
  /** The fallback that the attempt was made for; absent for the requested model. */
  fallback?: string;
  /** The span of the attempt, if tracing is on. */
  spanId?: string;
}
