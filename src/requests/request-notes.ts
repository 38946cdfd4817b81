import { OPTIONAL_ENDPOINTS, type Attribution } from "../money/attribution.ts";
import type { LimitHit } from "../money/limits.ts";
import type { FallbackCondition } from "../models/fallbacks.ts";
import type { Attempt } from "./attempt.ts";
import type { CapturedBodies } from "./captured-bodies.ts";
import type { ClientIdentities } from "./client-identities.ts";
import type { SettleEntry } from "../money/ledger-entry.ts";
import type { RemainingAmounts, Shortfall } from "../money/headroom.ts";
import type { RequestTrace } from "./request-trace.ts";

/** How a streamed reply ended. */
export type StreamEnd = "complete" | "failed" | "caller_gone";

const NO_ATTEMPTS: readonly Attempt[] = [];

/**
 * What is known about one request so far. Steps add to it; the log line, metrics, trace and request log are derived from it. Times are from
 * the monotonic clock, `performance.now()`.
 */
export class RequestNotes {
  /** Who calls the platform, as the audit log names them. */
  actor: string | undefined = undefined;
  keyId: string | undefined = undefined;
  accountId: string | undefined = undefined;
  /** The model as the caller named it, truncated. It may be any text. */
  requestedModel: string | undefined = undefined;
  /** The model of the catalog, once the request is admitted to it. */
  model: string | undefined = undefined;
  /** The model that served the request instead of the requested one, and why. */
  fallback: { readonly model: string; readonly reason: FallbackCondition } | undefined = undefined;
  isStream = false;
  isDryRun = false;
  /** The cache result, for a model with a response cache. */
  cache: "hit" | "miss" | undefined = undefined;
  /** The request whose response was replayed under the idempotency key. */
  replayed: string | undefined = undefined;
  requestBytes = 0;
  /** The size of a successful response; 0 for an error. */
  replyBytes = 0;
  /** When the request was received completely. */
  receivedAt: number | undefined = undefined;
  /**
   * How long parsing and validating a large body took, during which nothing else runs; undefined from admission on, and for small bodies.
   */
  readingMs: number | undefined = undefined;
  /** The attempts at upstreams, in order. */
  attempts: readonly Attempt[] = NO_ATTEMPTS;
  /** When the response began: the complete JSON, or the first chunk of a stream. */
  begunAt: number | undefined = undefined;
  /** When the head of the reply was ready. */
  repliedAt: number | undefined = undefined;
  /** The remaining credit after the request's hold, if the account shows it. */
  remaining: RemainingAmounts | undefined = undefined;
  charge: SettleEntry | undefined = undefined;
  /** The end user and the conversation, as the client names them. */
  identities: ClientIdentities | undefined = undefined;
  /** The end user, tags and conversation, as the account stores them. */
  attribution: Attribution | undefined = undefined;
  /** Whether the request was read, so that its attribution is known. */
  isAttributed = false;
  limit: LimitHit | undefined = undefined;
  shortfall: Shortfall | undefined = undefined;
  code: string | undefined = undefined;
  param: string | undefined = undefined;
  /** What happened, for operators only. */
  detail: string | undefined = undefined;
  end: StreamEnd | undefined = undefined;
  /** The trace context of the request, if tracing is on. */
  trace: RequestTrace | undefined = undefined;
  /** Only the trace id, for code that must not keep the whole trace in memory. */
  traceId: string | undefined = undefined;
  /** The captured bodies, for accounts with prompt and response logging; undefined for all others. */
  bodies: CapturedBodies | undefined = undefined;
  /** The request's copy for a mirror, if it is sampled; undefined after the request has ended. */
  mirror: MirroredRequest | undefined = undefined;
}

/** A request that is sent to a mirror when it has ended. */
export interface MirroredRequest {
  /** Receives pieces of the caller's response: a whole JSON response, or the data of events. */
  received(pieces: readonly string[]): void;
  ended(ended: EndedRequest): void;
}

/** A request whose response is complete, or whose client has disconnected. */
export interface EndedRequest {
  readonly listener: string;
  readonly method: string;
  /** The path of the endpoint, or the requested path if no endpoint matched. */
  readonly path: string;
  /** Whether this is a health probe. Successful probes are not logged. */
  readonly isProbe: boolean;
  readonly requestId: string;
  readonly status: number;
  /** Start and end, from the monotonic clock. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The end, from the wall clock. */
  readonly endedAtMs: number;
  /** The `User-Agent`, truncated. It may be any text. */
  readonly client: string | undefined;
  readonly notes: RequestNotes;
}

/** The endpoints that call a model, by the format of the client. */
export const MODEL_PATHS = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
  embeddings: "/v1/embeddings",
} as const;

const CALLS_MODEL: ReadonlySet<string> = new Set(Object.values(MODEL_PATHS));

/** Whether a request was for a model. At an endpoint that is off it was not. The path may be any text: it is only compared. */
export function callsModel({ method, path, notes }: EndedRequest): boolean {
  return method === "POST" && CALLS_MODEL.has(path) && notes.code !== "unknown_url";
}

/** One object for each endpoint, so that its text is written once. */
const AT_PATH: ReadonlyMap<string, Attribution> = new Map(OPTIONAL_ENDPOINTS.map((endpoint) => [MODEL_PATHS[endpoint], { endpoint }]));

/** The attribution of a request by its path alone, without end user, tags and conversation. Undefined for chat completions. */
export function attributionAt(path: string): Attribution | undefined {
  return AT_PATH.get(path);
}

/** Called for each request when it has ended, on the hot path: it only records, and works later. */
export type RequestObserver = (ended: EndedRequest) => void;
