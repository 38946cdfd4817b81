import type { FailedAttempt } from "../../money/failed-attempt.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { HoldEntry, SettleEntry } from "../../money/ledger-entry.ts";
import type { Nanos } from "../../money/money.ts";
import type { Spending } from "../../money/tally.ts";
import type { Provenance, Usage } from "../../money/usage.ts";
import type { Purse, PurseScope } from "../../money/purse.ts";

/** The error for a ledger that cannot be written: credit may not be spent if the spending cannot be recorded. */
export function ledgerUnavailable(cause: Error): ApiError {
  const message = "The gateway cannot record spending at the moment, so it accepts no requests. Please try again in 1s.";
  return new ApiError("overloaded", message, { retryAfterSeconds: 1, detail: `the ledger cannot be written: ${cause.message}` });
}

export interface Balance {
  /** Grants and adjustments, minus charges. Below zero by at most the excess of one request over its hold. */
  readonly creditNanos: Nanos;
  /** The amount reserved by requests in flight. */
  readonly heldNanos: Nanos;
}

export type NewHold = Omit<HoldEntry, "id" | "kind">;

/** A different model than in the hold: its fallback, which serves the request and whose price is charged. */
export interface ServedBy {
  readonly model: string;
  readonly priceVersion: string;
}

/** The usage of a response that has ended, and its cost. */
export interface Settlement {
  readonly atMs: number;
  readonly reason: string;
  readonly costNanos: Nanos;
  /** The maximum charge, if the caller set its own limit. Never below the hold. */
  readonly capNanos: Nanos | undefined;
  readonly usage: Usage;
  readonly provenance: Provenance;
  readonly upstream: string;
  /** The upstream's name for the model; undefined if the response came from the cache. */
  readonly upstreamModel: string | undefined;
  /** The version of the cost price of the route that served it. */
  readonly costVersion?: string | undefined;
  /** The provider's charge for the usage, if it is known. */
  readonly upstreamCostNanos?: Nanos | undefined;
  readonly attempts: number;
  readonly failedAttempts?: readonly FailedAttempt[];
  readonly servedBy?: ServedBy | undefined;
}

/** A response stored for replay under its idempotency key. */
export interface IdempotentReply {
  /** The caller's API key and its idempotency key. */
  readonly scope: string;
  /** Digest of the request body. */
  readonly digest: string;
  readonly requestId: string;
  readonly atMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if it was too large to store, or is lost. */
  readonly body: string | undefined;
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

/** The usage of a response in progress. */
export interface Progress {
  readonly costNanos: Nanos;
  readonly usage: Usage;
  readonly provenance: Provenance;
  readonly upstream: string;
  readonly upstreamModel: string | undefined;
  readonly costVersion?: string | undefined;
  readonly upstreamCostNanos?: Nanos | undefined;
  readonly servedBy?: ServedBy | undefined;
}

/** The credit that a process may hold, where several processes share the ledger. */
export interface LeasedCredit {
  /**
   * The part of an account's credit, or of the spend caps of a key, an end user or a tag, that this process has leased and no request
   * holds. A hold must fit into it too.
   */
  availableOf(purse: Purse): Nanos;
  /**
   * Leases more of the purses, so that each has this amount available, or all that the purse has. Throws `overloaded` if the authority is
   * away.
   */
  widen(purses: readonly Purse[], nanos: Nanos): Promise<void>;
}

/**
 * The ledger as the gateway uses it to serve requests: balances, holds and charges. Each admitted request has one hold, and each hold has
 * one closing entry, a settlement or a release. Balances and spending are in memory and include entries that are not durable yet.
 */
export interface LedgerStore {
  /** The balance that decides whether requests of an account are admitted. Zero for an unknown account. */
  balanceOf(accountId: string): Balance;
  /**
   * The spending that is compared with the spend caps of a purse: in the day and month of `nowMs` (UTC), and in total. For an end user or a
   * tag it is exact once its spending is counted.
   */
  spendingOf(scope: PurseScope, id: string, nowMs: number): Spending;
  /**
   * Counts the spending of end users and tags of an account or a key. The first call adds up their spending in this day and month, in
   * slices, between which other requests are served. Undefined if it is already counted, which is nearly always the case, or will be
   * counted when the purse is leased. Throws `overloaded` if the ledger cannot be written.
   */
  ensureCounted(purses: readonly Purse[]): Promise<void> | undefined;

  /** The leases of this process. Undefined if it has the whole ledger. */
  readonly leases: LeasedCredit | undefined;

  /**
   * Reserves credit for a request. The hold counts at once. It is durable when this resolves, in a later turn of the event loop: only then
   * may the upstream be called. Throws `overloaded` if the hold cannot be recorded, and an error if the request id had a hold before;
   * nothing is reserved then. Does not check the balance: the caller does, with `balanceOf` and `spendingOf` in the same turn of the event
   * loop.
   */
  hold(hold: NewHold): Promise<void>;
  /**
   * Registers a function that returns a request's progress, or undefined while no upstream works on it. It is called once a second, and its
   * result is written to the database, so that crash recovery can charge for it. Progress that cannot be written is lost without an error.
   */
  watch(requestId: string, progress: () => Progress | undefined): void;
  /**
   * Settles a hold: ends it with a charge, together with the idempotent reply to store, if any, both or neither. The charge counts at once.
   * It is durable when this resolves, which takes as long as the database is unwritable: writes are retried. The caller may not see a
   * complete response before that. Throws an error if the request has no open hold, or the ledger is closed.
   */
  settle(requestId: string, settlement: Settlement, reply?: (entry: SettleEntry) => IdempotentReply): Promise<SettleEntry>;
  /**
   * Releases a hold: ends it without a charge. It counts at once and is written in the background. Throws an error if there is no open
   * hold.
   */
  release(requestId: string, reason: string, atMs: number, failedAttempts?: readonly FailedAttempt[]): void;

  /**
   * The idempotent reply stored under this scope in the last 24 hours. Includes the replies of all settlements that were counted before the
   * call, unless the database is known to be unwritable. Throws `overloaded` if pending entries cannot be written.
   */
  findReply(scope: string, nowMs: number): Promise<IdempotentReply | undefined>;

  /** The ledger's status, from memory. Never throws. */
  state(): LedgerState;
}
