import type { AttemptOutcome } from "./attempt.ts";
import type { Attribution } from "../money/attribution.ts";
import type { Nanos } from "../money/money.ts";
import type { Provenance, Usage } from "../money/usage.ts";

/**
 * The outcome of a request: a `complete` response; one that was `replayed` for its idempotency key; a `dry_run`; `refused` for a reason
 * that the caller or the operator can change; `failed` in Tollgate or at upstreams, possibly mid-stream; or `client_closed`.
 */
export const OUTCOMES = ["complete", "replayed", "dry_run", "refused", "failed", "client_closed"] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** An attempt at an upstream, as stored in the request log. */
export interface LoggedAttempt {
  readonly upstream: string;
  readonly upstreamModel: string;
  /** When the attempt started, in milliseconds since the start of the request. */
  readonly startedMs: number;
  /** Null if the end of the attempt is not known. */
  readonly durationMs: number | null;
  readonly outcome: AttemptOutcome | null;
  readonly detail: string | null;
  /** The fallback that the attempt was made for; absent for the requested model. */
  readonly fallback?: string;
}

/** A request in the request log. Fields that do not apply or are not known are null. */
export interface LoggedRequest {
  readonly requestId: string;
  /** Start and end, from the wall clock. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly keyId: string | null;
  readonly accountId: string | null;
  /** The model as named by the caller, truncated. */
  readonly model: string | null;
  readonly isStream: boolean;
  readonly status: number;
  readonly outcome: Outcome;
  readonly code: string | null;
  readonly param: string | null;
  /** What happened, for operators only. */
  readonly detail: string | null;
  /** The upstream of the response or the last attempt: its id, or `cache`. */
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
  /** The trace of the request, if tracing is on. */
  readonly traceId: string | null;
  /** The end user, tags, conversation and endpoint, as the ledger stores them. */
  readonly attribution: Attribution | null;
}

/** The fallback that served a request, or whose call was in flight when the client disconnected; null for the requested model. */
export function answeredBy({ attempts }: LoggedRequest): string | null {
  const last = attempts.at(-1);
  return last?.outcome === "answered" || last?.outcome === "abandoned" ? (last.fallback ?? null) : null;
}

/** Prompt and response of an account with prompt and response logging: as text, truncated, after the operator's redaction hook. */
export interface LoggedBodies {
  readonly request: string | null;
  readonly reply: string | null;
  /** Whether either was truncated. */
  readonly isCut: boolean;
}
