import type { UpstreamFault } from "../models/upstream-fault.ts";

/** A try that did not answer: where it went, and what came of it. The caller does not pay for it. */
export interface FailedAttempt {
  readonly upstream: string;
  readonly upstreamModel: string;
  readonly fault: UpstreamFault["kind"];
  readonly durationMs: number;
  /** What happened, for operators. */
  readonly detail: string;
}

/**
 * What came of a try: an answer, though it may have broken off since; a refusal that was the request's own fault; a caller who did
 * not wait; or what the fault of the upstream was.
 */
export type AttemptOutcome = "answered" | "refused" | "abandoned" | UpstreamFault["kind"];

/** A try as it goes, by the clock that is never set back. */
export interface Attempt {
  readonly upstream: string;
  readonly upstreamModel: string;
  readonly startedAt: number;
  /** How long it took to fail, or to begin its answer; for a JSON answer that is all of it. Undefined while it is under way. */
  durationMs: number | undefined;
  outcome: AttemptOutcome | undefined;
  /** What happened, for operators, where it was a fault. */
  detail: string | undefined;
  /** Its span, where traces are on. */
  spanId?: string;
}
