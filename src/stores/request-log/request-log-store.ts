import type { BODY_DROP_REASONS, DROP_REASONS } from "../../requests/drop-reasons.ts";
import type { LoggedBodies, LoggedRequest, Outcome } from "../../requests/logged-request.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";

/** All statuses between two, both of them included. */
export interface StatusRange {
  readonly least: number;
  readonly most: number;
}

/** Which requests are asked for. What is undefined does not matter. */
export interface RequestFilter {
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  readonly status?: number | StatusRange | undefined;
  /** One, or any of several. */
  readonly outcome?: Outcome | readonly Outcome[] | undefined;
  readonly code?: string | undefined;
  /** Those that ended from one moment on, and before another. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** Which requests are added up: in stretches of time, each from one bound to the next. Bounds are at quarter hours of UTC. */
export interface RequestStatisticsQuery {
  readonly bounds: readonly number[];
  readonly accountId?: string | undefined;
  readonly model?: string | undefined;
}

/** Times in milliseconds that half, 95 and 99 % of them are at most as long as. Each is less than 5 % from the true one. */
export interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** What some requests come to. */
export interface RequestMeasures {
  readonly requests: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** How often each code was given, the most frequent first. */
  readonly codes: ReadonlyMap<string, number>;
  /** Of answers that were complete. Null where there are none. */
  readonly durationMs: Quantiles | null;
  /** Of streams that had one. */
  readonly firstTokenMs: Quantiles | null;
}

export interface RequestStatistics {
  /** Of each stretch that has requests, in order. */
  readonly rows: readonly (RequestMeasures & { readonly fromMs: number })[];
  readonly total: RequestMeasures;
  /** What ended before is no longer there, if it ever was. Null where nothing is. */
  readonly retainedFromMs: number | null;
}

/** Where a request stands in the log, which is in the order in which requests ended. To be given back as it is. */
export interface LogPosition {
  /** The partition: a day of UTC, such as `2027-01-31`. */
  readonly day: string;
  readonly row: number;
}

export interface PositionedRequest {
  readonly place: LogPosition;
  readonly request: LoggedRequest;
}

export type DropReason = (typeof DROP_REASONS)[number];

export type BodyDropReason = (typeof BODY_DROP_REASONS)[number];

/** How the log fares. Counts are since the start. */
export interface RequestLogState {
  /** Taken note of, and not written yet. */
  readonly queued: number;
  readonly written: number;
  /** All that is not kept, and how much of it for each reason. */
  readonly dropped: number;
  readonly drops: Readonly<Record<DropReason, number>>;
  readonly bodyDrops: Readonly<Record<BodyDropReason, number>>;
  /** Why nothing can be written at the moment, if that is so. */
  readonly failure: string | undefined;
}

/**
 * Keeps what is known of every request, for a while: in partitions by the day, of which the oldest is dropped as a whole. This is to
 * be known, not to be proven: it is written a moment after the fact, what finds no room is dropped and counted, and nothing that
 * goes wrong here reaches a caller. What is spent is the ledger's to know.
 */
export interface RequestLogStore {
  /** Takes note of a request. On the path of every request: it is put into a queue of bounded length, and written later. */
  note(ended: EndedRequest): void;
  /**
   * Requests after a place, which is left out, backward in time or forward, at most so many. Without a place from the newest, or the
   * oldest. All that was noted before is among them, unless nothing can be written.
   */
  list(
    filter: RequestFilter,
    from: LogPosition | undefined,
    direction: "older" | "newer",
    limit: number,
  ): Promise<readonly PositionedRequest[]>;
  find(requestId: string): Promise<LoggedRequest | undefined>;
  /** Whether it is kept what was said, or will be, unless the operator's hook wants it otherwise. It is not waited for. */
  hasBodies(requestId: string): Promise<boolean>;
  /** What was said, where the account wanted it kept. */
  bodiesOf(requestId: string): Promise<LoggedBodies | undefined>;
  /** Adds up requests: all that were noted before and are kept, unless nothing can be written. It takes as long however many they are. */
  statistics(question: RequestStatisticsQuery): Promise<RequestStatistics>;
  state(): RequestLogState;
}
