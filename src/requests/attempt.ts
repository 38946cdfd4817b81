import type { FaultKind } from "../money/failed-attempt.ts";

/**
 * How an attempt ended: a response (`answered`, though it may have broken off since), a rejection that was the request's own fault
 * (`refused`), a caller that disconnected (`abandoned`), or the upstream's fault.
 */
export type AttemptOutcome = "answered" | "refused" | "abandoned" | Exclude<FaultKind, "not_sent">;

/** An attempt while it runs. Times are from the monotonic clock. */
export interface Attempt {
  readonly upstream: string;
  readonly upstreamModel: string;
  readonly startedAt: number;
  /** Time until it failed or its response began; for a JSON response, until all of it was there. Undefined while it is in flight. */
  durationMs: number | undefined;
  outcome: AttemptOutcome | undefined;
  /** What happened, for operators, where it failed. */
  detail: string | undefined;
  /** The fallback that it was made for; absent where it was the requested model. */
  fallback?: string;
  /** Its span, where tracing is on. */
  spanId?: string;
}
