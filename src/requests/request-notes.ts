import type { LimitHit } from "../money/limits.ts";
import type { Attempt } from "./attempt.ts";
import type { CapturedBodies } from "./captured-bodies.ts";
import type { SettleEntry } from "../money/ledger-entry.ts";
import type { Shortfall } from "../money/headroom.ts";
import type { RequestTrace } from "./request-trace.ts";

/** How a reply ended that went on after its head. */
export type StreamEnd = "complete" | "failed" | "caller_gone";

const NO_ATTEMPTS: readonly Attempt[] = [];

/**
 * What is known of one request so far. Steps add to it as they learn; its log line, the metrics, the trace and the request log are
 * all told from it. Moments are by the clock that is never set back, `performance.now()`.
 */
export class RequestNotes {
  /** Who calls the platform, as the audit log has it. */
  actor: string | undefined = undefined;
  keyId: string | undefined = undefined;
  accountId: string | undefined = undefined;
  /** The model as the caller has named it, cut short. It may be anything. */
  askedFor: string | undefined = undefined;
  /** The model of the catalog that it has the key and the credit for: one of those that operators have named. */
  model: string | undefined = undefined;
  isStream = false;
  isDryRun = false;
  /** Of a model that keeps its answers. */
  cache: "hit" | "miss" | undefined = undefined;
  /** The request whose answer was given again under its idempotency key. */
  replayed: string | undefined = undefined;
  requestBytes = 0;
  /** Of an answer. A refusal counts as none. */
  replyBytes = 0;
  /** When all of the request was there. */
  receivedAt: number | undefined = undefined;
  /** The tries at upstreams, in order. */
  attempts: readonly Attempt[] = NO_ATTEMPTS;
  /** When the answer began to come: all of a JSON one, the first piece of a stream. */
  begunAt: number | undefined = undefined;
  /** When the head of the reply was there. */
  repliedAt: number | undefined = undefined;
  charge: SettleEntry | undefined = undefined;
  limit: LimitHit | undefined = undefined;
  shortfall: Shortfall | undefined = undefined;
  code: string | undefined = undefined;
  param: string | undefined = undefined;
  /** What happened, for operators alone. */
  detail: string | undefined = undefined;
  end: StreamEnd | undefined = undefined;
  /** Where it stands in a trace, where traces are on. */
  trace: RequestTrace | undefined = undefined;
  /** The id of that, for those who must not hold on to all that a trace has heard. */
  traceId: string | undefined = undefined;
  /** What was said, of accounts that want it kept, cut short. There is no way to it from here for all others. */
  bodies: CapturedBodies | undefined = undefined;
}

/** A request that has been answered to the end, or whose caller has left. */
export interface EndedRequest {
  readonly listener: string;
  readonly method: string;
  /** The path of the endpoint, or what was asked for where there is none. */
  readonly path: string;
  /** One of those that are asked every few seconds, and say nothing while they succeed. */
  readonly isProbe: boolean;
  readonly requestId: string;
  readonly status: number;
  /** By the clock that is never set back. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** By the clock on the wall. */
  readonly endedAtMs: number;
  /** What the caller says it is (`User-Agent`), cut short. It may be anything. */
  readonly client: string | undefined;
  readonly notes: RequestNotes;
}

/** Hears of each request when it has ended. It is called on the path of requests: it takes note, and works later. */
export type RequestObserver = (ended: EndedRequest) => void;
