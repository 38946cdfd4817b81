import type { FailedAttempt } from "./failed-attempt.ts";
import type { Nanos } from "./money.ts";
import type { Provenance, Usage } from "./usage.ts";

/** The ledger's entries. They are added and never changed: every balance is a sum over them. */

interface EntryHead {
  /** Counts up by one from 1, without gaps, in the order in which things happened. */
  readonly id: number;
  readonly accountId: string;
  readonly atMs: number;
  /** Who: a key's id, `operator`, or `recovery`. */
  readonly actor: string;
  /** Why, as text. */
  readonly reason: string;
}

/** Credit granted (`grant`) or corrected (`adjustment`, of either sign). */
export interface CreditEntry extends EntryHead {
  readonly kind: "grant" | "adjustment";
  readonly amountNanos: Nanos;
  /** The caller's own reference, unique within an account: the same reference again is the same entry. */
  readonly reference: string;
}

interface RequestEntry extends EntryHead {
  readonly requestId: string;
  readonly keyId: string;
  readonly model: string;
  readonly priceVersion: string;
}

/** Credit set aside for a request, before its upstream sees a byte. */
export interface HoldEntry extends RequestEntry {
  readonly kind: "hold";
  readonly amountNanos: Nanos;
}

/** Recorded as the upstream of a response that was served from the response cache. */
export const RESPONSE_CACHE = "cache";

/** The end of a hold with a charge. */
export interface SettleEntry extends RequestEntry {
  readonly kind: "settle";
  readonly holdId: number;
  /** What the account pays. */
  readonly amountNanos: Nanos;
  /** The cost beyond that: an upstream's excess, not charged to an account in debt or to a caller with its own limit. */
  readonly unchargedNanos: Nanos;
  readonly usage: Usage;
  readonly provenance: Provenance;
  readonly upstream: string;
  /** The upstream's own name for the model, which it bills. Undefined where no upstream was called, and in entries that predate the field. */
  readonly upstreamModel: string | undefined;
  /** The version of the route's cost price at that time: what the provider charges. Undefined where the route had none. */
  readonly costVersion?: string | undefined;
  readonly attempts: number;
  /** The failed attempts, where there were any. The account pays for none of them. */
  readonly failedAttempts?: readonly FailedAttempt[];
}

/** The end of a hold without a charge. */
export interface ReleaseEntry extends RequestEntry {
  readonly kind: "release";
  readonly holdId: number;
  readonly failedAttempts?: readonly FailedAttempt[];
}

export type Entry = CreditEntry | HoldEntry | SettleEntry | ReleaseEntry;
