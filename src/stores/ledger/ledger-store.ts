import type { FailedAttempt } from "../../money/failed-attempt.ts";
import type { Change } from "../../access/change.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import type { CreditEntry, Entry, HoldEntry, ReleaseEntry, SettleEntry } from "../../money/ledger-entry.ts";
import { formatDollars, MAX_NANOS, type Nanos } from "../../money/money.ts";
import type { Price } from "../../money/price.ts";
import type { Spender, Spending } from "../../money/tally.ts";
import type { Provenance, Usage } from "../../money/usage.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

/** Nothing can be recorded at the moment, so nothing may be spent. */
export function ledgerUnavailable(cause: Error): GatewayError {
  const message = "The gateway cannot record what is spent at the moment, so nothing can be. Please try again in 1s.";
  return new GatewayError("overloaded", message, { retryAfterSeconds: 1, detail: `the ledger cannot be written: ${cause.message}` });
}

/** Sums must stay within the database's integers, beyond which it would write down something else. */
export function refuseTooMuch(creditNanos: Nanos, amountNanos: Nanos): void {
  const after = creditNanos + amountNanos;
  if (amountNanos > 0n ? after <= MAX_NANOS : after >= -MAX_NANOS) return;
  const message = `amount would take the account's credit to $${formatDollars(after)}, which is more than can be kept: $${formatDollars(MAX_NANOS)}.`;
  throw new GatewayError("invalid_value", message, { param: "amount" });
}

export interface Balance {
  /** Granted and adjusted, less what was charged. Below zero only by one request's excess. */
  readonly creditNanos: Nanos;
  /** Set aside for requests under way. */
  readonly heldNanos: Nanos;
}

/** An account or a key whose credit or spending has changed. */
export interface ChangedSpender {
  readonly scope: Spender;
  readonly id: string;
}

export type NewHold = Omit<HoldEntry, "id" | "kind">;

/** The counts of an answer that has ended, and what they come to. */
export interface Settlement {
  readonly atMs: number;
  readonly reason: string;
  readonly costNanos: Nanos;
  /** The most that may be charged, whatever it cost: the caller has set a limit of its own. It is never below the hold. */
  readonly capNanos: Nanos | undefined;
  readonly usage: Usage;
  readonly provenance: Provenance;
  readonly upstream: string;
  /** Its own name for the model; undefined where an answer was given again. */
  readonly upstreamModel: string | undefined;
  /** The version of the cost price of the route that served it. */
  readonly costVersion?: string | undefined;
  readonly attempts: number;
  readonly failedAttempts?: readonly FailedAttempt[];
}

export type NewCredit = Omit<CreditEntry, "id">;

/** An answer that was kept to be given again under the same idempotency key. */
export interface IdempotentReply {
  /** The caller's key and its idempotency key. */
  readonly scope: string;
  /** Of the request body. */
  readonly digest: string;
  readonly requestId: string;
  readonly atMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where it was too large to keep. */
  readonly body: string | undefined;
}

/** A request as the ledger knows it: its hold, and how that ended, if it has. */
export interface RequestRecord {
  readonly hold: HoldEntry;
  readonly closing: SettleEntry | ReleaseEntry | undefined;
}

/** How the ledger fares at this moment. */
export interface LedgerState {
  readonly openHolds: number;
  readonly heldNanos: Nanos;
  /** Entries that are not in the database yet. */
  readonly unwrittenEntries: number;
  /** Why nothing can be written at the moment, if that is so. */
  readonly failure: string | undefined;
}

export type UsageDimension = "model" | "key" | "account" | "upstream";

/** Whose use is to be added up, of when, and how. */
export interface UsageReportQuery {
  /** The moments, in order, at which one bucket of time begins and the one before it ends. Two make one bucket. */
  readonly bounds: readonly number[];
  /** What sums are of, within a bucket. */
  readonly by: readonly UsageDimension[];
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  /** For a page: the rows behind this place, and at most so many. */
  readonly after?: UsagePosition | undefined;
  readonly limit?: number | undefined;
  /** Within a bucket those come first that cost most. There is no place to go on from then. */
  readonly isCostliestFirst?: boolean | undefined;
}

/** Rows stand in the order of time, then of their names. */
export interface UsagePosition {
  /** When the bucket begins. */
  readonly fromMs: number;
  /** The ids of what it is of, in the order of `by`. The upstream is empty where none has answered. */
  readonly names: readonly string[];
}

export interface UsageMeasures {
  /** Those that were charged, if only with nothing. */
  readonly requests: number;
  /** Those that were let in and not answered. */
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
  /** Those that have anything in them. */
  readonly rows: readonly UsageRow[];
  /** Of all that was asked for, on whichever page. */
  readonly total: UsageMeasures;
}

/** Whose bill is looked at: that of these upstreams, from one moment on, and before another. */
export interface ProviderUseFilter {
  readonly fromMs: number;
  readonly toMs: number;
  readonly upstreams: readonly string[];
  /** By rising size: prompts longer than one of these may have another price, so what was used is kept apart by them. */
  readonly tierBounds: readonly number[];
}

/** What was used of one model, under the name it has at the provider. */
export interface ProviderUseRow {
  /** Undefined for answers from before that name was written down. */
  readonly upstreamModel: string | undefined;
  /** The version of the cost price that was in force; undefined where the route had none. */
  readonly costVersion: string | undefined;
  /** How many of the bounds the prompts were above. */
  readonly tier: number;
  readonly requests: number;
  readonly usage: Usage;
  /** Those whose tokens the upstream has not counted to the end, and their tokens as we have them. */
  readonly unmeasuredRequests: number;
  readonly unmeasuredTokens: number;
  /** Requests that were let in before the span: another calendar may have them there. */
  readonly startedBefore: number;
}

/** What a provider may bill. */
export interface ProviderUse {
  readonly rows: readonly ProviderUseRow[];
  /** By the provider's name of the model: attempts that were sent, and broke off or took too long. Nobody was charged for them. */
  readonly unansweredAttempts: ReadonlyMap<string, number>;
  /** Those of the upstreams that any of this is of. */
  readonly upstreams: ReadonlySet<string>;
}

/** Keeps the entries, and what follows from them. One hold for each request id, and one end for each hold. */
export interface LedgerStore {
  balanceOf(accountId: string): Balance;
  spendingOf(scope: Spender, id: string, nowMs: number): Spending;

  /**
   * The accounts and keys whose credit or spending has changed since this was last asked, or since the start. Whoever watches
   * them need not look at all of them: there is one who does.
   */
  takeChangedSpenders(): readonly ChangedSpender[];

  /**
   * Sets credit aside. It is counted at once, and durable when this resolves, in a later turn: only then may the upstream see anything. Throws
   * `overloaded` where it cannot be recorded, and an error where the request has had a hold before; nothing is held then.
   * Whether there is enough is the caller's question, asked of `balanceOf` and `spendingOf` in the same turn.
   */
  hold(hold: NewHold): Promise<void>;
  /**
   * Tells what is known of a request under way, so that a crash does not forget it; undefined while no upstream is at work for it.
   * Asked for about once a second.
   */
  watch(requestId: string, progress: () => Progress | undefined): void;
  /**
   * Ends a hold with a charge, together with the answer to keep, if there is one: both or neither. It is counted at once, and
   * durable when this resolves, which may take as long as the store is out of order. Nobody may see the reply as complete before.
   */
  settle(requestId: string, settlement: Settlement, answer?: (entry: SettleEntry) => IdempotentReply): Promise<SettleEntry>;
  /** Ends a hold without a charge. Nothing has to wait for it. */
  release(requestId: string, reason: string, atMs: number, failedAttempts?: readonly FailedAttempt[]): void;

  /**
   * Adds credit, or, where the account already has an entry of this reference, gives that one. Durable when this resolves.
   * Throws `invalid_value` where it would take the account's credit beyond `MAX_NANOS`, up or down. What `record` makes of a new
   * entry goes to the audit log with it.
   */
  addCredit(credit: NewCredit, record?: (entry: CreditEntry) => Change): Promise<{ entry: CreditEntry; isNew: boolean }>;

  /** Remembers what the versions of prices say, for as long as there are entries that name them. */
  recordPrices(prices: readonly Price[]): void;
  price(version: string): Price | undefined;
  /** By rising size: the bounds of all tiers of the recorded prices. */
  tierBounds(): readonly number[];

  findRequest(requestId: string): RequestRecord | undefined;
  /** Entries in order, those behind `afterId`. */
  entriesAfter(afterId: number, limit: number): readonly Entry[];
  /** An account's entries, newest first, those before `beforeId`. */
  entriesOf(accountId: string, beforeId: number, limit: number): readonly Entry[];
  /** The number of one of these among all that the account has: 1 for its first. It is the same for ever, and there are no gaps. */
  numberOf(accountId: string, entryId: number): Promise<number>;
  /**
   * What requests have used, each counted when it ended: to the last unit what the entries of this moment come to. It may take
   * some time, in which requests are answered all the same, and ends when the signal says that nobody waits for it.
   */
  usage(question: UsageReportQuery, signal?: CancelSignal): Promise<UsageReport>;
  /** What a provider has served, by its own names of the models. It may take seconds, in which requests are answered all the same. */
  providerUse(filter: ProviderUseFilter): Promise<ProviderUse>;
  /** Every balance, and the entry up to which it counts. */
  balances(): { readonly asOfId: number; readonly accounts: ReadonlyMap<string, Balance> };

  state(): LedgerState;

  /** The answer kept under this scope, if it is not too old. */
  findReply(scope: string, nowMs: number): IdempotentReply | undefined;
}

/** What is known of an answer that has not ended. */
export interface Progress {
  readonly costNanos: Nanos;
  readonly usage: Usage;
  readonly provenance: Provenance;
  readonly upstream: string;
  readonly upstreamModel: string | undefined;
  readonly costVersion?: string | undefined;
}
