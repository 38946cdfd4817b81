import type { AttemptOutcome } from "./attempt.ts";
import type { Nanos } from "../money/money.ts";
import type { Provenance, Usage } from "../money/usage.ts";

/**
 * The outcome of a request: a `complete` response; one that was `replayed` for its idempotency key; a `dry_run`; `refused` for a reason
 * that the caller or the operator can change; `failed`, here or at upstreams, also in mid-stream; or `client_closed`.
 */
export const OUTCOMES = ["complete", "replayed", "dry_run", "refused", "failed", "client_closed"] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** A try at an upstream, as the request log keeps it. */
export interface LoggedAttempt {
  readonly upstream: string;
  readonly upstreamModel: string;
  /** After the request came. */
  readonly startedMs: number;
  /** Null where its end was never seen. */
  readonly durationMs: number | null;
  readonly outcome: AttemptOutcome | null;
  readonly detail: string | null;
}

/** What the request log keeps of a request. What did not happen, or is not known, is null. */
export interface LoggedRequest {
  readonly requestId: string;
  /** By the clock on the wall. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly keyId: string | null;
  readonly accountId: string | null;
  /** As the caller named it, cut short. */
  readonly model: string | null;
  readonly isStream: boolean;
  readonly status: number;
  readonly outcome: Outcome;
  readonly code: string | null;
  readonly param: string | null;
  /** What happened, for operators alone. */
  readonly detail: string | null;
  /** Where it was answered or tried last: an upstream's id, or `cache`. */
  readonly upstream: string | null;
  readonly attempts: readonly LoggedAttempt[];
  readonly usage: Usage | null;
  readonly provenance: Provenance | null;
  readonly costNanos: Nanos | null;
  readonly durationMs: number;
  readonly firstTokenMs: number | null;
  readonly overheadMs: number | null;
  readonly requestBytes: number;
  readonly replyBytes: number;
  readonly client: string | null;
  /** The trace that it belongs to, where traces are on. */
  readonly traceId: string | null;
}

/** What was said, of accounts that want it kept: as text, cut at a limit, after the operator's hook has seen it. */
export interface LoggedBodies {
  readonly request: string | null;
  readonly reply: string | null;
  /** Whether something of either was cut off. */
  readonly isCut: boolean;
}
