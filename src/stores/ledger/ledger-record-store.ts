import type { Change } from "../../access/change.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";
import { NO_NAME, type ATTRIBUTION_KINDS, type AttributionDimension } from "../../money/attribution.ts";
import type { CreditEntry, Entry, HoldEntry, ListedEntry, ReleaseEntry, SettleEntry } from "../../money/ledger-entry.ts";
import { formatDollars, MAX_NANOS, type Nanos } from "../../money/money.ts";
import type { Price } from "../../money/price.ts";
import type { Purse } from "../../money/purse.ts";
import type { Spender, Spending } from "../../money/tally.ts";
import type { Usage } from "../../money/usage.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Balance } from "./ledger-store.ts";

/** Throws `invalid_value` where a balance would leave the range of the database's 64-bit integers. */
export function refuseTooMuch(creditNanos: Nanos, amountNanos: Nanos): void {
  const after = creditNanos + amountNanos;
  if (amountNanos > 0n ? after <= MAX_NANOS : after >= -MAX_NANOS) return;
  const message = `amount would take the account's credit to $${formatDollars(after)}, beyond the limit of $${formatDollars(MAX_NANOS)}.`;
  throw new ApiError("invalid_value", message, { param: "amount" });
}

/** An account or a key whose balance or spending has changed. */
export interface ChangedSpender {
  readonly scope: Spender;
  readonly id: string;
}

export type NewCredit = Omit<CreditEntry, "id">;

/** A request in the ledger: its hold, and the entry that closed it, if any. */
export interface RequestRecord {
  readonly hold: HoldEntry;
  readonly closing: SettleEntry | ReleaseEntry | undefined;
}

/** The sums over all entries up to one of them: all of them are of the same moment. */
export interface LedgerBalances {
  /** The last entry that the sums include. It is durable. */
  readonly asOfId: number;
  /** Accounts that are missing have no credit, and have spent nothing. */
  readonly accounts: ReadonlyMap<string, AccountBalance>;
  /** The spending of the keys, in total. Keys that are missing have spent nothing. */
  readonly spentByKey: ReadonlyMap<string, Nanos>;
  /** The spending of end users and tags that are counted because of spend caps. */
  readonly breakdowns: readonly CountedSpending[];
}

/** The spending of an end user or a tag in the latest day and month with a charge, by their numbers. */
export interface CountedSpending {
  readonly purse: Purse;
  readonly day: number;
  readonly dayNanos: Nanos;
  readonly month: number;
  readonly monthNanos: Nanos;
}

export interface AccountBalance extends Balance {
  /** The spending in total. */
  readonly spentNanos: Nanos;
}

/** `attributed`: the end user, the conversation or the value of the tag, by the query's `attributed`. */
export type UsageDimension = "model" | "key" | "account" | "upstream" | "attributed";

/** The names that usage is attributed to. Usage without one is of `none`, and that beyond the limit of a day of `other`. */
export interface AttributedUsage {
  readonly dimension: AttributionDimension;
  /** A filter by these names, or by `none` alone. */
  readonly names?: readonly string[] | undefined;
}

/** Whether a report is of the usage without a name. */
export function isOfNone({ names }: AttributedUsage): boolean {
  return names?.length === 1 && names[0] === NO_NAME;
}

/** What the largest groups of a report have most of. Requests include failed ones. */
export const RANKED_MEASURES = ["cost", "requests", "tokens", "failed"] as const;
export type RankedMeasure = (typeof RANKED_MEASURES)[number];

/** The largest groups over the whole time of a report. Groups that are equal in the measure are ordered by cost, requests and names. */
export interface LargestGroups {
  readonly count: number;
  readonly by: RankedMeasure;
}

/** Which usage to report, of which time, and grouped how. */
export interface UsageReportQuery {
  /** The bounds of the time buckets, in order: each is the end of one bucket and the start of the next. Two bounds make one bucket. */
  readonly bounds: readonly number[];
  /** Group by, within a bucket. */
  readonly by: readonly UsageDimension[];
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  /** For a report or a filter by end user, conversation or tag. It has no upstreams: neither groups nor totals by them. */
  readonly attributed?: AttributedUsage | undefined;
  /** For a page: the rows after this position, at most `limit`. */
  readonly after?: UsagePosition | undefined;
  readonly limit?: number | undefined;
  /** Orders the rows of a bucket by cost, highest first. This order has no positions to continue from. */
  readonly isCostliestFirst?: boolean | undefined;
  /** Only these groups have rows: all others of a bucket are one row without names, after them. Such a report has all of its rows on one page. */
  readonly largest?: LargestGroups | undefined;
}

/** The position of a row. Rows are ordered by time, then by their names. */
export interface UsagePosition {
  /** The start of the bucket. */
  readonly fromMs: number;
  /** The ids of the group, in the order of `by`; none for the groups that are not among the largest. The upstream is empty where none answered. */
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

export const NO_USAGE: UsageMeasures = {
  requests: 0,
  failed: 0,
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  costNanos: 0n,
  unchargedNanos: 0n,
};

/** With what providers charge, which only operators may see. */
export interface CostedMeasures extends UsageMeasures {
  /** The requests whose upstream cost is known, what providers charge for them, and what accounts were charged for them. */
  readonly costedRequests: number;
  readonly upstreamCostNanos: Nanos;
  readonly costedNanos: Nanos;
}

export type UsageRow = UsagePosition & CostedMeasures;

export interface UsageReport {
  /** Only rows with usage. */
  readonly rows: readonly UsageRow[];
  /** Over the whole query, on every page. */
  readonly total: CostedMeasures;
}

/** The requests since startup that reports count as `other`, because the limit of names was reached, by what they are attributed to. */
export type AttributionOverflows = Readonly<Record<(typeof ATTRIBUTION_KINDS)[number], number>>;

/** What was erased of an end user. */
export interface ErasedEndUser {
  /** The number of entries that named the end user or one of the conversations. */
  readonly entries: number;
  /** The conversations of the end user, which are erased too. */
  readonly conversations: readonly string[];
}

/** A slice of the ledger, and the entries of an end user in it. */
export interface EntriesOfEndUser {
  readonly entries: readonly Entry[];
  /** The last entry of the slice; undefined where the ledger ends before it. */
  readonly toId: number | undefined;
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
  /** Undefined where it is not known. */
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
 * The ledger as the platform, the alert rules and the auditor use it: credit, entries, and reports over them. Balances and spending are in
 * memory and include entries that are not durable yet. Methods that read entries first write the pending ones of this process to the
 * database, and throw `overloaded` where that fails; while the database is known to be unwritable, they read without the pending ones.
 *
 * Where processes on other machines write to the same ledger, balances and spending may be a second old, but include the credit that was added
 * here. What those processes have not shipped yet, holds or charges, is in no figure and no entry.
 */
export interface LedgerRecordStore {
  /** An account's balance. Zero for an unknown account. */
  balanceOf(accountId: string): Balance;
  /** The spending of an account or key in the day and month of `nowMs` (UTC), and in total. */
  spendingOf(scope: Spender, id: string, nowMs: number): Spending;
  /** The balances of all accounts and the spending of all keys. Throws `overloaded` where pending entries cannot be written. */
  balances(): Promise<LedgerBalances>;
  /** The accounts and keys whose balance or spending has changed since the last call, or since startup. For one consumer: the alert rules. */
  takeChangedSpenders(): readonly ChangedSpender[];

  /**
   * Adds a grant or an adjustment. Idempotent by reference: where the account has an entry with this reference, that one is returned. Durable
   * when this resolves, together with the change that `record` makes for the audit log. Throws `invalid_value` where the balance would exceed
   * `MAX_NANOS` in either direction, and `overloaded` where it cannot be written.
   */
  addCredit(credit: NewCredit, record?: (entry: CreditEntry) => Change): Promise<{ entry: CreditEntry; isNew: boolean }>;

  /** A version of a price that an entry names. The catalog records each price before a request can be charged with it. */
  price(version: string): Promise<Price | undefined>;
  /** The tier bounds of all recorded prices, in increasing order. */
  tierBounds(): Promise<readonly number[]>;

  /** A request's hold and closing entry. */
  findRequest(requestId: string): Promise<RequestRecord | undefined>;
  /** Entries with an id above `afterId`, in order. */
  entriesAfter(afterId: number, limit: number): Promise<readonly Entry[]>;
  /** An account's entries with an id below `beforeId`, newest first, without holds. */
  entriesOf(accountId: string, beforeId: number, limit: number): Promise<readonly ListedEntry[]>;
  /** The grant or adjustment of an account with this reference, by index. */
  findCredit(accountId: string, reference: string): Promise<CreditEntry | undefined>;
  /** The number of an entry among all of its account, without holds: 1 for the first. It never changes, and there are no gaps. */
  numberOf(accountId: string, entryId: number): Promise<number>;
  /**
   * A usage report, from rollups. Each request counts at the time when it ended, and the sums are exactly those of the entries of this
   * moment. Works in slices, between which requests are served. Throws `CallerGone` when the signal is aborted, and `overloaded` while more
   * than 200,000 entries are not in the rollups yet.
   */
  usage(question: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport>;
  /**
   * Tags of requests of an account that ended since a moment, or earlier: the first 100 by name of those that usage is reported by. Throws as
   * `usage` does.
   */
  tagsOf(accountId: string, sinceMs: number): Promise<readonly string[]>;
  /** The requests that this process has added to the rollups beyond the limit of names. */
  attributionOverflows(): AttributionOverflows;
  /** The entries of an end user in the slice of the ledger after an id, in order: holds, settlements and releases. */
  entriesOfEndUser(accountId: string, users: readonly string[], afterId: number): Promise<EntriesOfEndUser>;
  /**
   * Erases the names of an end user, and of its conversations, from all entries and rollups of this moment: they become `erased`. Amounts stay.
   * Works in slices, between which requests are served, and may be repeated. Requests in flight, and entries that other processes have not
   * shipped yet, are not covered. Spending that is counted by name for spend caps is not touched.
   */
  eraseEndUser(accountId: string, users: readonly string[]): Promise<ErasedEndUser>;
  /** The usage at a provider, by its own names for the models. Reads the entries in slices; it may take seconds, while requests are served. */
  providerUse(filter: ProviderUseFilter): Promise<ProviderUse>;
}
