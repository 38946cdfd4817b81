import type { Attribution, AttributionDimension } from "../../money/attribution.ts";
import type { BODY_DROP_REASONS, DROP_REASONS } from "../../requests/drop-reasons.ts";
import type { LoggedBodies, LoggedRequest, Outcome } from "../../requests/logged-request.ts";
import type { MirrorResult } from "../../requests/mirror-result.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import type { ReceivedBodies } from "./queued-request.ts";

/** A range of statuses, both bounds included. */
export interface StatusRange {
  readonly least: number;
  readonly most: number;
}

export interface AttributedFilter {
  readonly dimension: AttributionDimension;
  readonly names: readonly string[];
}

/** A range of amounts, both bounds included. An undefined bound means no limit. */
export interface AmountRange {
  readonly least?: number | bigint | undefined;
  readonly most?: number | bigint | undefined;
}

/** The amounts by which requests are filtered: nano-dollars, milliseconds, input plus output tokens, and the number of attempts. */
export type Amount = "cost" | "duration" | "tokens" | "attempts";

/** Which requests to list. An undefined field matches all. */
export interface RequestFilter {
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  readonly status?: number | StatusRange | undefined;
  /** One outcome, or any of several. */
  readonly outcome?: Outcome | readonly Outcome[] | undefined;
  readonly code?: string | undefined;
  /** Filters by end user, conversation and tags: one of the names in each dimension, or `none` for requests without one. */
  readonly attributed?: readonly AttributedFilter[] | undefined;
  /** A request without the amount, such as a rejected one without a cost, is in no range of it. */
  readonly amounts?: Partial<Readonly<Record<Amount, AmountRange>>> | undefined;
  /** A substring of the details of the request or of an attempt. Upper and lower case of ASCII letters are equal. */
  readonly errorText?: string | undefined;
  /** Requests that were mirrored, or only those whose mirror returned another status or finish reason. */
  readonly mirror?: "any" | "different" | undefined;
  /** Requests that ended from `fromMs` to before `toMs`. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The requests to aggregate, in intervals from one bound to the next. Bounds are at quarter hours of UTC. */
export interface RequestStatisticsQuery {
  readonly bounds: readonly number[];
  readonly accountId?: string | undefined;
  readonly model?: string | undefined;
}

/** Percentiles in milliseconds, from a histogram. Each differs by less than 5 % from the true value. */
export interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Aggregates of some requests. */
export interface RequestMeasures {
  readonly requests: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** The count of each error code, the most frequent first. */
  readonly codes: ReadonlyMap<string, number>;
  /** Of complete responses. Null if there are none. */
  readonly durationMs: Quantiles | null;
  /** Time to first token, of streams. Null if there are none. */
  readonly firstTokenMs: Quantiles | null;
}

export interface RequestStatistics {
  /** The intervals with requests, in order. */
  readonly rows: readonly (RequestMeasures & { readonly fromMs: number })[];
  readonly total: RequestMeasures;
  /** The start of the oldest retained day. Null if no day is retained. */
  readonly retainedFromMs: number | null;
}

/** The position of a request in the log, which is ordered by the time when requests ended. Opaque to callers. */
export interface LogPosition {
  /** The partition: a day of UTC, such as `2027-01-31`. */
  readonly day: string;
  readonly row: number;
}

export interface PositionedRequest {
  readonly position: LogPosition;
  readonly request: LoggedRequest;
}

/** The approximate maximum number of requests that a sort or a count reads: they are read in chunks, and some chunks may have few matches. */
export const MAX_SORTED = 1_000_000;

/** An order by an amount. Requests without the amount come last, and equal requests are ordered newest first. */
export interface AmountOrder {
  readonly by: "cost" | "duration" | "tokens";
  readonly direction: "highest" | "lowest";
}

/** A request in an order by an amount, with that amount. */
export interface SortedRequest extends PositionedRequest {
  readonly amount: number;
}

/** The number of matching requests, or the number found before the count was stopped. */
export interface RequestCount {
  readonly count: number;
  readonly isExact: boolean;
}

/** A request from which an end user is erased. */
export interface ErasedRequest extends PositionedRequest {
  readonly attribution: Attribution;
  readonly deletesBodies: boolean;
}

export type DropReason = (typeof DROP_REASONS)[number];

export type BodyDropReason = (typeof BODY_DROP_REASONS)[number];

/** The log's status. Counts are since startup. */
export interface RequestLogState {
  /** The number of requests that were noted and are not written yet. */
  readonly queued: number;
  readonly written: number;
  /** Requests that were not logged, in total and by reason. */
  readonly dropped: number;
  readonly drops: Readonly<Record<DropReason, number>>;
  readonly bodyDrops: Readonly<Record<BodyDropReason, number>>;
  /** Why the log cannot be written at the moment; undefined if it can. */
  readonly failure: string | undefined;
}

/** The part of the request log that the gateway needs. */
export interface RequestLogger {
  /** Logs a request. On the path of requests: it goes into a bounded queue, and is written about 50 ms later. Never throws. */
  note(ended: EndedRequest): void;
  /** Logs the result of a request's mirror, after the request. Dropped if too many results are waiting to be written. Never throws. */
  noteMirror(result: MirrorResult): void;
}

/**
 * The request log: a record of every request, partitioned by day; retention drops the oldest day as a whole. It is best effort: records are
 * written in the background, a record for which there is no space is dropped and counted, and no failure here reaches a client of the
 * gateway. The ledger has the exact spend. Methods that read throw `overloaded` if a file cannot be read; a damaged file is quarantined and
 * skipped.
 */
export interface RequestLogStore extends RequestLogger {
  /**
   * Requests after a position, exclusive, backward or forward in time. Without a position, starts with the newest or the oldest request.
   * Includes all requests noted before, unless the log cannot be written.
   */
  list(
    filter: RequestFilter,
    from: LogPosition | undefined,
    direction: "older" | "newer",
    limit: number,
  ): Promise<readonly PositionedRequest[]>;
  /**
   * Requests in the order of an amount, after another request. There is no index: each call reads the amounts of all matching requests.
   * Undefined if these are in more chunks than a million requests fill.
   */
  listSorted(
    filter: RequestFilter,
    order: AmountOrder,
    after: Pick<SortedRequest, "position" | "amount"> | undefined,
    limit: number,
  ): Promise<readonly SortedRequest[] | undefined>;
  /**
   * Counts requests: exactly by account, model and time, from the sums. With other filters, it stops after as many requests as a sort can
   * read.
   */
  count(filter: RequestFilter): Promise<RequestCount>;
  /** The record of a request, if it is retained. */
  find(requestId: string): Promise<LoggedRequest | undefined>;
  /**
   * Whether the prompt and response of a request are logged, or will be unless the redaction hook rejects them. Does not wait for the hook.
   */
  hasBodies(requestId: string): Promise<boolean>;
  /** The prompt and response, if the account has prompt and response logging enabled. Waits for the redaction hook. */
  bodiesOf(requestId: string): Promise<LoggedBodies | undefined>;
  /** The results of these requests' mirrors, for requests that were mirrored. Includes results noted before the call. */
  mirrorsOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, MirrorResult>>;
  /** The newest results of a model, for requests since a moment, at most `limit`. */
  mirrorResults(model: string, fromMs: number, limit: number): Promise<readonly MirrorResult[]>;
  /** Replaces the attribution of requests that were listed before, and deletes their bodies if requested. */
  erase(erased: readonly ErasedRequest[]): Promise<void>;
  /**
   * Aggregates requests: all retained requests that were noted before, unless the log cannot be written. Reads sums by quarter hour, so its
   * cost does not depend on the number of requests.
   */
  statistics(question: RequestStatisticsQuery): Promise<RequestStatistics>;
  /** The log's status, from memory. Never throws. */
  state(): RequestLogState;
}

/** A log that also accepts records that other processes have built, with their secrets already hidden. Never throws. */
export interface ReceivingRequestLogStore extends RequestLogStore {
  receive(records: readonly LoggedRequest[]): void;
  /** Bodies of records that were received before. The redaction hook runs here. */
  receiveBodies(received: readonly ReceivedBodies[]): void;
  receiveMirrors(results: readonly MirrorResult[]): void;
}
