import type { UpstreamFault } from "./upstream-fault.ts";

/** A try that did not answer: where it went, and what came of it. The caller does not pay for it. */
export interface FailedAttempt {
  readonly upstream: string;
  readonly upstreamModel: string;
  readonly fault: UpstreamFault["kind"];
  readonly durationMs: number;
  /** What happened, for operators. */
  readonly detail: string;
}
