import type { FailedAttempt } from "../../money/failed-attempt.ts";
import type { Change } from "../../access/change.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { CreditEntry, Entry, HoldEntry, ReleaseEntry, SettleEntry } from "../../money/ledger-entry.ts";
import { formatDollars, MAX_NANOS, type Nanos } from "../../money/money.ts";
import type { Price } from "../../money/price.ts";
import type { Spender, Spending } from "../../money/tally.ts";
import type { Provenance, Usage } from "../../money/usage.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

/** The error for a ledger that cannot be written: what cannot be recorded may not be spent. */
export function ledgerUnavailable(cause: Error): ApiError {
  const message = "The gateway cannot record spending at the moment, so it accepts no requests. Please try again in 1s.";
  return new ApiError("overloaded", message, { retryAfterSeconds: 1, detail: `the ledger cannot be written: ${cause.message}` });
}

/** Throws `invalid_value` where a balance would leave the range of the database's 64-bit integers. */
export function refuseTooMuch(creditNanos: Nanos, amountNanos: Nanos): void {
  const after = creditNanos + amountNanos;
  if (amountNanos > 0n ? after <= MAX_NANOS : after >= -MAX_NANOS) return;
  const message = `amount would take the account's credit to $${formatDollars(after)}, beyond the limit of $${formatDollars(MAX_NANOS)}.`;
  throw new ApiError("invalid_value", message, { param: "amount" });
}

export interface Balance {
  /** Grants and adjustments, less charges. Below zero by at most the excess of one request over its hold. */
  readonly creditNanos: Nanos;
  /** Reserved by requests in flight. */
  readonly heldNanos: Nanos;
}

/** An account or a key whose balance or spending has changed. */
export interface ChangedSpender {
  readonly scope: Spender;
  readonly id: string;
}

export type NewHold = Omit<HoldEntry, "id" | "kind">;

/** The usage of a response that has ended, and its cost. */
export interface Settlement {
  readonly atMs: number;
  readonly reason: string;
  readonly costNanos: Nanos;
  /** The most that may be charged, where the caller set a limit of its own. Never below the hold. */
  readonly capNanos: Nanos | undefined;
  readonly usage: Usage;
  readonly provenance: Provenance;
  readonly upstream: string;
  /** The upstream's name for the model; undefined where the response came from the cache. */
  readonly upstreamModel: string | undefined;
  /** The version of the cost price of the route that served it. */
  readonly costVersion?: string | undefined;
  readonly attempts: number;
  readonly failedAttempts?: readonly FailedAttempt[];
}

export type NewCredit = Omit<CreditEntry, "id">;

/** A response stored for replay under its idempotency key. */
export interface IdempotentReply {
  /** The caller's key and its idempotency key. */
  readonly scope: string;
  /** Of the request body. */
  readonly digest: string;
  readonly requestId: string;
  readonly atMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where it was too large to store. */
  readonly body: string | undefined;
}

/** A request in the ledger: its hold, and the entry that closed it, if any. */
export interface RequestRecord {
  readonly hold: HoldEntry;
  readonly closing: SettleEntry | ReleaseEntry | undefined;
}

/** The ledger's status. */
export interface LedgerState {
  readonly openHolds: number;
  readonly heldNanos: Nanos;
  /** Entries that are not in the database yet. */
  readonly unwrittenEntries: number;
  /** The error of the last write, while the database cannot be written. */
  readonly failure: string | undefined;
}

export type UsageDimension = "model" | "key" | "account" | "upstream";

/** Which usage to report, of which time, and grouped how. */
export interface UsageReportQuery {
  /** The bounds of the time buckets, in order: each is the end of one bucket and the start of the next. Two bounds make one bucket. */
  readonly bounds: readonly number[];
  /** Group by, within a bucket. */
  readonly by: readonly UsageDimension[];
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  /** For a page: the rows after this position, at most `limit`. */
  readonly after?: UsagePosition | undefined;
  readonly limit?: number | undefined;
  /** Orders the rows of a bucket by cost, highest first. This order has no positions to continue from. */
  readonly isCostliestFirst?: boolean | undefined;
}

/** The position of a row. Rows are ordered by time, then by their names. */
export interface UsagePosition {
  /** The start of the bucket. */
  readonly fromMs: number;
  /** The ids of the group, in the order of `by`. The upstream is empty where none answered. */
  readonly names: readonly string[];
}

export interface UsageMeasures {
  /** Settled requests, including those that cost nothing. */
  readonly requests: number;
  /** Requests that were admitted and released without a charge. */
  readonly failed: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly costNanos: Nanos;
  readonly unchargedNanos: Nanos;
}

export type UsageRow = UsagePosition & UsageMeasures;

export interface UsageReport {
  /** Only rows with usage. */
  readonly rows: readonly UsageRow[];
  /** Over the whole query, on every page. */
  readonly total: UsageMeasures;
}

/** For the reconciliation of a bill: these upstreams, from `fromMs` to before `toMs`. */
export interface ProviderUseFilter {
  readonly fromMs: number;
  readonly toMs: number;
  readonly upstreams: readonly string[];
  /** In increasing order. A prompt above one of these bounds may have another price, so usage is summed for each tier. */
  readonly tierBounds: readonly number[];
}

/** The usage of one model, under the provider's name for it. */
export interface ProviderUseRow {
  /** Undefined for entries of versions that did not record it. */
  readonly upstreamModel: string | undefined;
  /** The version of the cost price at the time; undefined where the route had none. */
  readonly costVersion: string | undefined;
  /** The number of tier bounds below the prompt's length. */
  readonly tier: number;
  readonly requests: number;
  readonly usage: Usage;
  /** Requests whose tokens the upstream did not report in full, and their estimated tokens. */
  readonly unmeasuredRequests: number;
  readonly unmeasuredTokens: number;
  /** Requests that were admitted before the span: the provider may bill them in the span before. */
  readonly startedBefore: number;
}

/** The usage that a provider may bill. */
export interface ProviderUse {
  readonly rows: readonly ProviderUseRow[];
  /** Attempts that broke off or timed out after they were sent, by the provider's name for the model. No account was charged for them. */
  readonly unansweredAttempts: ReadonlyMap<string, number>;
  /** The upstreams with any usage. */
  readonly upstreams: ReadonlySet<string>;
}

/**
 * The ledger: credit, holds and charges. Each admitted request has one hold, and each hold one closing entry, a settlement or a release.
 * Balances and spending are in memory and include entries that are not durable yet. Methods that read entries first write pending ones to
 * the database, and throw `overloaded` where that fails; while the database is known to be unwritable, they read without the pending ones.
 */
export interface LedgerStore {
  /** An account's balance. Zero for an unknown account. */
  balanceOf(accountId: string): Balance;
  /** The spending of an account or key in the day and month of `nowMs` (UTC), and in total. */
  spendingOf(scope: Spender, id: string, nowMs: number): Spending;

  /** The accounts and keys whose balance or spending has changed since the last call, or since startup. For one consumer: the alert rules. */
  takeChangedSpenders(): readonly ChangedSpender[];

  /**
   * Reserves credit for a request. Counted at once, and durable when this resolves, in a later turn of the event loop: only then may the
   * upstream be called. Throws `overloaded` where the hold cannot be recorded, and an error where the request id had a hold before; nothing
   * is reserved then. Does not check the balance: the caller does, with `balanceOf` and `spendingOf` in the same turn.
   */
  hold(hold: NewHold): Promise<void>;
  /**
   * Registers a function that returns a request's progress, or undefined while no upstream works on it. It is called once a second, and its
   * result is written to the database, so that crash recovery can charge for it. Progress that cannot be written is lost without an error.
   */
  watch(requestId: string, progress: () => Progress | undefined): void;
  /**
   * Settles a hold: ends it with a charge, together with the idempotent reply to store, if any, both or neither. Counted at once, and durable
   * when this resolves, which takes as long as the database is unwritable: writes are retried. The caller may not see a complete response
   * before. Throws an error where the request has no open hold, or the ledger is closed.
   */
  settle(requestId: string, settlement: Settlement, reply?: (entry: SettleEntry) => IdempotentReply): Promise<SettleEntry>;
  /** Releases a hold: ends it without a charge. Counted at once and written in the background. Throws an error where there is no open hold. */
  release(requestId: string, reason: string, atMs: number, failedAttempts?: readonly FailedAttempt[]): void;

  /**
   * Adds a grant or an adjustment. Idempotent by reference: where the account has an entry with this reference, that one is returned. Durable
   * when this resolves, together with the change that `record` makes for the audit log. Throws `invalid_value` where the balance would exceed
   * `MAX_NANOS` in either direction, and `overloaded` where it cannot be written.
   */
  addCredit(credit: NewCredit, record?: (entry: CreditEntry) => Change): Promise<{ entry: CreditEntry; isNew: boolean }>;

  /**
   * Records versions of prices, for as long as there are entries that name them. Durable when this returns: it waits up to 100 ms for a lock.
   * Throws an error of SQLite where that fails; none is recorded then.
   */
  recordPrices(prices: readonly Price[]): void;
  /** A recorded version of a price. */
  price(version: string): Price | undefined;
  /** The tier bounds of all recorded prices, in increasing order. */
  tierBounds(): readonly number[];

  /** A request's hold and closing entry. */
  findRequest(requestId: string): RequestRecord | undefined;
  /** Entries with an id above `afterId`, in order. */
  entriesAfter(afterId: number, limit: number): readonly Entry[];
  /** An account's entries with an id below `beforeId`, newest first, without holds. */
  entriesOf(accountId: string, beforeId: number, limit: number): readonly Entry[];
  /** The number of an entry among all of its account, without holds: 1 for the first. It never changes, and there are no gaps. */
  numberOf(accountId: string, entryId: number): Promise<number>;
  /**
   * A usage report, from rollups. Each request counts at the time when it ended, and the sums are exactly those of the entries of this
   * moment. Works in slices, between which requests are served. Throws `CallerGone` when the signal is aborted, and `overloaded` while more
   * than 200,000 entries are not in the rollups yet.
   */
  usage(question: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport>;
  /** The usage at a provider, by its own names for the models. Reads the entries in slices; it may take seconds, while requests are served. */
  providerUse(filter: ProviderUseFilter): Promise<ProviderUse>;
  /** Every balance, and the last entry that it includes, which is durable. Throws `overloaded` where pending entries cannot be written. */
  balances(): { readonly asOfId: number; readonly accounts: ReadonlyMap<string, Balance> };

  /** The ledger's status, from memory. Never throws. */
  state(): LedgerState;

  /** The idempotent reply stored under this scope in the last 24 hours. */
  findReply(scope: string, nowMs: number): IdempotentReply | undefined;
}

/** The usage of a response in progress. */
export interface Progress {
  readonly costNanos: Nanos;
  readonly usage: Usage;
  readonly provenance: Provenance;
  readonly upstream: string;
  readonly upstreamModel: string | undefined;
  readonly costVersion?: string | undefined;
}
