import type { Attribution } from "./attribution.ts";
import type { FailedAttempt } from "./failed-attempt.ts";
import type { Nanos } from "./money.ts";
import type { Provenance, Usage } from "./usage.ts";

/**
 * The ledger's entries. They are added and never changed, and every balance is a sum over them. The one exception is the erasure of an end
 * user, which replaces names in the attribution (stores/ledger/erasure).
 */

interface EntryHead {
  /** Increases by one from 1, without gaps, in the order of events. */
  readonly id: number;
  readonly accountId: string;
  readonly atMs: number;
  /** The actor: a key's ID, `operator`, or `recovery`. */
  readonly actor: string;
  /** The reason, as text. */
  readonly reason: string;
}

/** Credit granted (`grant`) or corrected (`adjustment`, of either sign). */
export interface CreditEntry extends EntryHead {
  readonly kind: "grant" | "adjustment";
  readonly amountNanos: Nanos;
  /** The caller's own reference, unique within an account: the same reference again returns the same entry. */
  readonly reference: string;
}

interface RequestEntry extends EntryHead {
  readonly requestId: string;
  readonly keyId: string;
  readonly model: string;
  readonly priceVersion: string;
  /** Undefined if the request has no end user, tags and conversation. */
  readonly attribution?: Attribution | undefined;
}

/** Credit reserved for a request, before anything is sent upstream. */
export interface HoldEntry extends RequestEntry {
  readonly kind: "hold";
  readonly amountNanos: Nanos;
}

/** The value of `upstream` for a response that was served from the response cache. */
export const RESPONSE_CACHE = "cache";

/** The end of a hold with a charge. */
export interface SettleEntry extends RequestEntry {
  readonly kind: "settle";
  readonly holdId: number;
  /** The amount charged to the account. */
  readonly amountNanos: Nanos;
  /** The part of the cost that is not charged: the excess over the hold, for an account in debt or a caller with its own limit. */
  readonly unchargedNanos: Nanos;
  readonly usage: Usage;
  readonly provenance: Provenance;
  readonly upstream: string;
  /** The upstream model, which the provider bills. Undefined if no upstream was called, and in entries older than this field. */
  readonly upstreamModel: string | undefined;
  /**
   * The version of the route's cost price at that time, or of the published price: what the provider charges. Undefined if neither is
   * known.
   */
  readonly costVersion?: string | undefined;
  /** What the provider charges for the usage. Undefined if it is unknown, and in entries older than this field. */
  readonly upstreamCostNanos?: Nanos | undefined;
  readonly attempts: number;
  /** The failed attempts, if there were any. The account pays for none of them. */
  readonly failedAttempts?: readonly FailedAttempt[];
}

/** The end of a hold without a charge. */
export interface ReleaseEntry extends RequestEntry {
  readonly kind: "release";
  readonly holdId: number;
  readonly failedAttempts?: readonly FailedAttempt[];
}

/** The entries of requests, which go through a journal. */
export type EntryOfRequest = HoldEntry | SettleEntry | ReleaseEntry;

export type Entry = CreditEntry | EntryOfRequest;

/** The entries that change a balance, and the ends of holds. */
export type ListedEntry = Exclude<Entry, HoldEntry>;
