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

/** Throws `invalid_value` if a balance would leave the range of the database's 64-bit integers. */
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

/** The sums over all entries up to one of them, all as of the same moment. */
export interface LedgerBalances {
  /** The last entry that the sums include. It is durable. */
  readonly asOfId: number;
  /** An account that is missing has no credit, and has spent nothing. */
  readonly accounts: ReadonlyMap<string, AccountBalance>;
  /** The total spending of each key. A key that is missing has spent nothing. */
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

/** `attributed`: the end user, the conversation or the value of the tag, according to `attributed` of the query. */
export type UsageDimension = "model" | "key" | "account" | "upstream" | "attributed";

/**
 * The names that usage is attributed to. Usage without a name has the name `none`, and usage beyond the limit of names of a day the name
 * `other`.
 */
export interface AttributedUsage {
  readonly dimension: AttributionDimension;
  /** A filter by these names, or only by `none`. */
  readonly names?: readonly string[] | undefined;
}

/** Whether a report is about the usage without a name. */
export function isOfNone({ names }: AttributedUsage): boolean {
  return names?.length === 1 && names[0] === NO_NAME;
}

/** The measures by which groups can be ranked. Requests include failed ones. */
export const RANKED_MEASURES = ["cost", "requests", "tokens", "failed"] as const;
export type RankedMeasure = (typeof RANKED_MEASURES)[number];

/** The largest groups over the whole time of a report. Groups with the same measure are ordered by cost, requests and names. */
export interface LargestGroups {
  readonly count: number;
  readonly by: RankedMeasure;
}

/** The usage to report: its filters, its time buckets and its groups. */
export interface UsageReportQuery {
  /** The bounds of the time buckets, in order: each is the end of one bucket and the start of the next. Two bounds make one bucket. */
  readonly bounds: readonly number[];
  /** The dimensions to group by within a bucket. */
  readonly by: readonly UsageDimension[];
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  /** For a report or a filter by end user, conversation or tag. Such a report has no upstreams, neither as groups nor in totals. */
  readonly attributed?: AttributedUsage | undefined;
  /** For a page: at most `limit` rows after this position. */
  readonly after?: UsagePosition | undefined;
  readonly limit?: number | undefined;
  /** Orders the rows of a bucket by cost, highest first. Such a report has no positions for further pages. */
  readonly isCostliestFirst?: boolean | undefined;
  /**
   * Only these groups have rows. The other groups of a bucket are summed in one row without names, which comes last. Such a report has all
   * of its rows on one page.
   */
  readonly largest?: LargestGroups | undefined;
}

/** The position of a row. Rows are ordered by time, then by their names. */
export interface UsagePosition {
  /** The start of the bucket. */
  readonly fromMs: number;
  /**
   * The ids of the group, in the order of `by`. Empty for the row of groups that are not among the largest. The upstream is empty if none
   * answered.
   */
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

/** Measures with the charges of providers, which only operators may see. */
export interface CostedMeasures extends UsageMeasures {
  /** The number of requests whose upstream cost is known, the providers' charges for them, and the accounts' charges for them. */
  readonly costedRequests: number;
  readonly upstreamCostNanos: Nanos;
  readonly costedNanos: Nanos;
}

export type UsageRow = UsagePosition & CostedMeasures;

export interface UsageReport {
  /** Only rows with usage. */
  readonly rows: readonly UsageRow[];
  /** The total over the whole query, on every page. */
  readonly total: CostedMeasures;
}

/** The number of requests since startup that reports count as `other` because the limit of names was reached, for each kind of name. */
export type AttributionOverflows = Readonly<Record<(typeof ATTRIBUTION_KINDS)[number], number>>;

/** The result of erasing an end user. */
export interface ErasedEndUser {
  /** The number of entries that named the end user or one of the conversations. */
  readonly entries: number;
  /** The conversations of the end user, which are erased too. */
  readonly conversations: readonly string[];
}

/** A slice of the ledger, and the entries of an end user in it. */
export interface EntriesOfEndUser {
  readonly entries: readonly Entry[];
  /** The last entry of the slice; undefined if it reaches the end of the ledger. */
  readonly toId: number | undefined;
}

/** For the reconciliation of a bill: these upstreams, from `fromMs` to before `toMs`. */
export interface ProviderUseFilter {
  readonly fromMs: number;
  readonly toMs: number;
  readonly upstreams: readonly string[];
  /** In increasing order. A prompt longer than a bound may have another price, so usage is summed for each tier. */
  readonly tierBounds: readonly number[];
}

/** The usage of one model, under the provider's name for it. */
export interface ProviderUseRow {
  /** Undefined if it is not known. */
  readonly upstreamModel: string | undefined;
  /** The version of the cost price at the time; undefined if the route had none. */
  readonly costVersion: string | undefined;
  /** The number of tier bounds below the prompt's length. */
  readonly tier: number;
  readonly requests: number;
  readonly usage: Usage;
  /** The number of requests whose tokens the upstream did not report in full, and their estimated tokens. */
  readonly unmeasuredRequests: number;
  readonly unmeasuredTokens: number;
  /** The number of requests that were admitted before `fromMs`: the provider may bill them in the previous period. */
  readonly startedBefore: number;
}

/** The usage that a provider may bill. */
export interface ProviderUse {
  readonly rows: readonly ProviderUseRow[];
  /**
   * The number of attempts that broke off or timed out after they were sent, by the provider's name for the model. No account was charged
   * for them.
   */
  readonly unansweredAttempts: ReadonlyMap<string, number>;
  /** The upstreams with any usage. */
  readonly upstreams: ReadonlySet<string>;
}

/**
 * The ledger for the platform, the alert rules and the auditor: credit, entries, and reports over them. Balances and spending are in memory
 * and include entries that are not durable yet. Methods that read entries first write the pending entries of this process to the database,
 * and throw `overloaded` if that fails. While the database is known to be unwritable, they read without the pending entries.
 *
 * If processes on other machines write to the same ledger, balances and spending may be one second old, but include credit that was added
 * here. Holds and charges that those processes have not shipped yet are not included in any figure or entry.
 */
export interface LedgerRecordStore {
  /** An account's balance. Zero for an unknown account. */
  balanceOf(accountId: string): Balance;
  /** The spending of an account or key in the day and month of `nowMs` (UTC), and in total. */
  spendingOf(scope: Spender, id: string, nowMs: number): Spending;
  /** The balances of all accounts and the spending of all keys. Throws `overloaded` if pending entries cannot be written. */
  balances(): Promise<LedgerBalances>;
  /**
   * The accounts and keys whose balance or spending has changed since the last call, or since startup. Supports only one consumer: the
   * alert rules.
   */
  takeChangedSpenders(): readonly ChangedSpender[];

  /**
   * Adds a grant or an adjustment. Idempotent by reference: if the account has an entry with this reference, that entry is returned.
   * Durable when this resolves, together with the change that `record` makes for the audit log. Throws `invalid_value` if the balance would
   * exceed `MAX_NANOS` in either direction, and `overloaded` if the entry cannot be written.
   */
  addCredit(credit: NewCredit, record?: (entry: CreditEntry) => Change): Promise<{ entry: CreditEntry; isNew: boolean }>;

  /** A price version that an entry names. The catalog records each price before a request can be charged with it. */
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
  /** The number of an entry among all entries of its account, without holds: 1 for the first. It never changes, and there are no gaps. */
  numberOf(accountId: string, entryId: number): Promise<number>;
  /**
   * A usage report, from rollups. Each request counts at the time when it ended, and the sums equal the sums of the entries at this moment.
   * Works in slices, between which requests are served. Throws `CallerGone` when the signal is aborted, and `overloaded` while more than
   * 200,000 entries are not in the rollups yet.
   */
  usage(question: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport>;
  /**
   * The first 100 tags, by name, of an account's requests that ended since a moment. May include tags of requests that ended earlier. Only
   * tags that usage is reported by. Throws like `usage`.
   */
  tagsOf(accountId: string, sinceMs: number): Promise<readonly string[]>;
  /** The requests that this process has added to the rollups beyond the limit of names. */
  attributionOverflows(): AttributionOverflows;
  /** The entries of an end user in the slice of the ledger after an id, in order: holds, settlements and releases. */
  entriesOfEndUser(accountId: string, users: readonly string[], afterId: number): Promise<EntriesOfEndUser>;
  /**
   * Erases the names of an end user and of its conversations from all current entries and rollups: they become `erased`. Amounts stay.
   * Works in slices, between which requests are served, and may be repeated. Does not cover requests in flight, and entries that other
   * processes have not shipped yet. Spending that is counted by name for spend caps stays.
   */
  eraseEndUser(accountId: string, users: readonly string[]): Promise<ErasedEndUser>;
  /**
   * The usage at a provider, by its own names for the models. Reads the entries in slices. This may take seconds, while requests are
   * served.
   */
  providerUse(filter: ProviderUseFilter): Promise<ProviderUse>;
}
