import type { IdempotentReply, Progress } from "../ledger-store.ts";
import type { InstanceState } from "./instance.ts";
import type { ProcessChange } from "./process-change.ts";
import type { Purse } from "../../../money/purse.ts";
import type { PurseState } from "./purse-state.ts";

/** The reply to a process that has connected. */
export interface JoinReply {
  readonly epoch: number;
  readonly state: InstanceState;
  readonly appliedSeq: number;
  /** The purses that the process has leases of. */
  readonly purses: readonly PurseState[];
}

/** The changes of a process that the authority may not have, and the progress of its responses in flight. */
export interface Shipment {
  readonly instanceId: string;
  readonly epoch: number;
  readonly changes: readonly ProcessChange[];
  readonly progress: ReadonlyMap<string, Progress>;
}

/** The changes up to `appliedSeq` are durable. */
export interface ShipmentReply {
  /** `written_off`: the process may admit no more requests, and its changes are booked as adjustments. */
  readonly state: InstanceState;
  /** False after a start of the authority, until all live processes have stated their leases: nothing is leased before that. */
  readonly isLeasing: boolean;
  readonly appliedSeq: number;
  /** The purses of the lease changes in the shipment. */
  readonly purses: readonly PurseState[];
}

/** Why a request is not admitted, for operators. */
export const NO_ANSWER = "the authority over credit has not answered in time";

/** The authority cannot be reached, or does not answer in time. Whether it has applied a shipment is unknown until the next one. */
export class AuthorityUnavailable extends Error {
  override name = "AuthorityUnavailable";
}

/**
 * The authority over credit, as a gateway process calls it: the owner process over a unix socket, or a database. It leases parts of purses
 * to processes and applies their changes. Every method throws `AuthorityUnavailable` if it cannot be reached.
 */
export interface Authority {
  /** Connects, for the first time or again. Throws `FencedError` for a process whose journal was applied and closed. */
  join(instanceId: string): Promise<JoinReply>;
  /**
   * Sends changes, in order. They are applied once, however often they are sent. Resolves when they are durable, and never waits for other
   * processes. An empty shipment is a heartbeat. One call is in flight at a time. Throws `FencedError` and `SequenceGapError`.
   */
  ship(shipment: Shipment): Promise<ShipmentReply>;
  /**
   * Adds up the spending of the end users or tags of these purses, if it is not counted yet: nothing of such a purse is leased before that.
   */
  ensureCounted(purses: readonly Purse[]): Promise<void>;
  /** Asks the other processes to return unused credit of these purses. Resolves when they have done so, or after 2 seconds. */
  recall(instanceId: string, purses: readonly Purse[]): Promise<void>;
  /** The idempotent reply stored under this scope in the last 24 hours. */
  findReply(scope: string, nowMs: number): Promise<IdempotentReply | undefined>;
}

/** The authority's messages to a connected process. */
export interface AuthorityListener {
  /** Another process needs this purse: return the credit that no request holds. Resolves when the authority has it. */
  recalled(purse: Purse): Promise<void>;
  /** A purse that had nothing left has credit again. */
  onCreditAvailable(purse: Purse): void;
  /** The authority can be reached, for the first time or again. */
  connected(): void;
  /** The connection has ended. */
  disconnected(): void;
}
