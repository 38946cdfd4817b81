import type { EntryOfRequest, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { IdempotentReply } from "../ledger-store.ts";
import type { Purse } from "../../../money/purse.ts";
import type { Lease } from "./purse-state.ts";

/**
 * A change of a lease. It states the lease wanted in total, never a difference, so that sending it again is harmless.
 *
 * | bound | meaning |
 * |---|---|
 * | `at_least` | raise the lease to this amount, or to what the purse has left |
 * | `at_most` | return everything above this amount |
 * | `overdraw` | like `at_least`, but beyond the credit if the account is not below zero: a cost above its hold is charged all the same |
 */
export interface LeaseChange {
  readonly kind: "lease";
  /** Its number in the sequence of the process. */
  readonly id: number;
  readonly purse: Purse;
  readonly bound: "at_least" | "at_most" | "overdraw";
  readonly nanos: Nanos;
}

/**
 * All leases and open holds of a process, for an authority that was started again and does not know them. The journal has only the number
 * of the statement: the leases of an ended process are void.
 */
export interface LeaseStatement {
  readonly kind: "statement";
  /** Its number in the sequence of the process. */
  readonly id: number;
  /** Undefined if the statement was read from a journal. */
  readonly leases?: readonly Lease[];
  /** The requests with an open hold. Undefined if the statement was read from a journal. */
  readonly openRequests?: readonly string[];
}

/**
 * A settlement together with an idempotent reply. Before the client sees the end of the response, the ledger has both or neither. The
 * journal has only the number. After a crash that prevented the settlement, the hold is ended like every open hold, and a retry is served
 * again.
 */
interface DirectSettlement {
  readonly kind: "direct";
  /** Its number in the sequence of the process. */
  readonly id: number;
  readonly requestId: string;
  /** Undefined if the settlement was read from a journal. */
  readonly settled?: { readonly entry: SettleEntry; readonly reply: IdempotentReply };
}

/** Identifies the request that a stored reply answers. */
type ReplyIdentity = Pick<IdempotentReply, "scope" | "digest" | "atMs">;

/**
 * The authority has applied a direct settlement. From now on the journal has its entry too, and the client may see the end of the response.
 * An authority that is restored to an earlier state gets the entry from the journal. The reply is lost then, and a retry is rejected
 * instead of being served again.
 */
interface ConfirmedSettlement {
  readonly kind: "confirmed";
  /** Its number in the sequence of the process. */
  readonly id: number;
  readonly entry: SettleEntry;
  readonly reply: ReplyIdentity;
}

/** The confirmation of a direct settlement that was not read from a journal. */
export function confirmationOf(id: number, { settled }: DirectSettlement): ConfirmedSettlement {
  const { entry, reply } = settled!;
  const { scope, digest, atMs } = reply;
  return { kind: "confirmed", id, entry, reply: { scope, digest, atMs } };
}

/**
 * A change made by a gateway process. The changes of a process are numbered by their `id`, without gaps, and are in its journal before they
 * take effect. The authority assigns the ids of the ledger to entries when it applies them.
 */
export type ProcessChange = EntryOfRequest | DirectSettlement | ConfirmedSettlement | LeaseChange | LeaseStatement;

/**
 * The idempotent reply that a change stores, if any. `isBooked`: whether the change led to an entry. A confirmed settlement leads to an
 * entry only if a restored authority has lost the settlement itself. The reply is then lost too, but it remains known that there was a
 * reply.
 */
export function repliesIn(change: ProcessChange, isBooked: boolean): readonly IdempotentReply[] {
  if (change.kind === "direct") return change.settled ? [change.settled.reply] : [];
  if (change.kind !== "confirmed" || !isBooked) return [];
  return [{ ...change.reply, requestId: change.entry.requestId, headers: {}, body: undefined }];
}
