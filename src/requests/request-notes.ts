import type { Attribution } from "../money/attribution.ts";
import type { LimitHit } from "../money/limits.ts";
import type { FallbackCondition } from "../models/fallbacks.ts";
import type { Attempt } from "./attempt.ts";
import type { CapturedBodies } from "./captured-bodies.ts";
import type { ClientIdentities } from "./client-identities.ts";
import type { SettleEntry } from "../money/ledger-entry.ts";
import type { Remaining, Shortfall } from "../money/headroom.ts";
import type { RequestTrace } from "./request-trace.ts";

/** How a streamed reply ended. */
export type StreamEnd = "complete" | "failed" | "caller_gone";

const NO_ATTEMPTS: readonly Attempt[] = [];

/**
 * What is known about one request so far. Steps add to it; log line, metrics, trace and request log are made from it. Times are from the
 * monotonic clock, `performance.now()`.
 */
export class RequestNotes {
  /** Who calls the platform, as the audit log has it. */
  actor: string | undefined = undefined;
  keyId: string | undefined = undefined;
  accountId: string | undefined = undefined;
  /** The model as the caller named it, truncated. It may be anything. */
  askedFor: string | undefined = undefined;
  /** The model of the catalog, once the request is admitted to it. */
  model: string | undefined = undefined;
  /** The model that served it in the place of that one, and why. */
  fallback: { readonly model: string; readonly reason: FallbackCondition } | undefined = undefined;
  isStream = false;
  isDryRun = false;
  /** For a model with a response cache. */
  cache: "hit" | "miss" | undefined = undefined;
  /** The request whose response was replayed under the idempotency key. */
  replayed: string | undefined = undefined;
  requestBytes = 0;
  /** The size of a successful response; 0 for an error. */
  replyBytes = 0;
  /** When the request was received completely. */
  receivedAt: number | undefined = undefined;
  /** How long a large body was parsed and validated, in which nothing else runs; undefined from admission on, and for a small one. */
  readingMs: number | undefined = undefined;
  /** The attempts at upstreams, in order. */
  attempts: readonly Attempt[] = NO_ATTEMPTS;
  /** When the response began: the complete JSON, or the first chunk of a stream. */
  begunAt: number | undefined = undefined;
  /** When the head of the reply was ready. */
  repliedAt: number | undefined = undefined;
  /** After its hold, where the account shows it. */
  remaining: Remaining | undefined = undefined;
  charge: SettleEntry | undefined = undefined;
  /** The end user and the conversation, as the client names them. */
  identities: ClientIdentities | undefined = undefined;
  /** The end user, tags and conversation, as the account stores them. */
  attribution: Attribution | undefined = undefined;
  /** Whether the request was read, so that it is known whose it is. */
  isAttributed = false;
  limit: LimitHit | undefined = undefined;
  shortfall: Shortfall | undefined = undefined;
  code: string | undefined = undefined;
  param: string | undefined = undefined;
  /** What happened, for operators alone. */
  detail: string | undefined = undefined;
  end: StreamEnd | undefined = undefined;
  /** Its trace context, where tracing is on. */
  trace: RequestTrace | undefined = undefined;
  /** The trace id alone, for users that must not keep the whole trace in memory. */
  traceId: string | undefined = undefined;
  /** The captured bodies, for accounts with prompt and response logging; undefined for all others. */
  bodies: CapturedBodies | undefined = undefined;
  /** Where the request is sent to a mirror, until it has ended. */
  mirror: MirroredRequest | undefined = undefined;
}

/** A request that is sent to a mirror when it has ended. */
export interface MirroredRequest {
  /** Pieces of the caller's response: all of a JSON one, or the data of events. */
  received(pieces: readonly string[]): void;
  ended(ended: EndedRequest): void;
}

/** A request whose response is complete, or whose client has disconnected. */
export interface EndedRequest {
  readonly listener: string;
  readonly method: string;
  /** The path of the endpoint, or the requested path where there is none. */
  readonly path: string;
  /** A health probe, which is not logged while it succeeds. */
  readonly isProbe: boolean;
  readonly requestId: string;
  readonly status: number;
  /** From the monotonic clock. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** From the wall clock. */
  readonly endedAtMs: number;
  /** The `User-Agent`, truncated. It may be anything. */
  readonly client: string | undefined;
  readonly notes: RequestNotes;
}

/** Called for each request when it has ended, on the hot path: it only records, and works later. */
export type RequestObserver = (ended: EndedRequest) => void;
