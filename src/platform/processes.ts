import type { Nanos } from "../money/money.ts";
import type { Purse } from "../money/purse.ts";

/** `single`: one process does everything. Otherwise one `owner` process has the data folder, and `gateway` processes serve model clients. */
export const PROCESS_ROLES = ["single", "owner", "gateway"] as const;

/**
 * - `starting`: it was started, and has not connected to the owner process yet.
 * - `live`: it serves requests.
 * - `disconnected`: it has lost its connection to the owner process, or has ended and its journal is not applied yet.
 * - `draining`: it finishes its requests in flight, and accepts no connections.
 */
export const PROCESS_STATES = ["starting", "live", "disconnected", "draining"] as const;

/** The part of an account's credit, or of a key's spend caps, that a gateway process may spend without a call of the owner process. */
export interface ProcessLease {
  readonly purse: Purse;
  readonly nanos: Nanos;
}

/** A process of this Tollgate, as of its last report. Numbers that a process has not reported yet are 0. */
export interface ProcessView {
  /** A new one at each start of a gateway process. */
  readonly id: string;
  readonly role: (typeof PROCESS_ROLES)[number];
  readonly pid: number;
  readonly state: (typeof PROCESS_STATES)[number];
  readonly startedAtMs: number;
  /** Since the last heartbeat of a gateway process. Null for the other roles, and before the first heartbeat. */
  readonly heartbeatAgeMs: number | null;
  /** Requests and connections of the gateway listener. An owner process has none. */
  readonly inFlight: number;
  readonly connections: number;
  /** Resident memory. */
  readonly memoryBytes: number;
  readonly version: string;
  /** Empty for the other roles than `gateway`. */
  readonly leases: readonly ProcessLease[];
}

/** The processes of this Tollgate, as operators see and restart them. */
export interface Processes {
  /** The owner process, or the single process, comes first; gateway processes follow in the order of their start. */
  list(): Promise<readonly ProcessView[]>;
  /** Whether a rolling restart is in progress, started by an operator, a signal or new settings. */
  readonly isRestarting: boolean;
  /**
   * Starts a rolling restart: each gateway process is replaced by a new one, one after another. Resolves when it has started. `record` writes
   * the audit log entry before that; where it throws, nothing is restarted. Throws `state_conflict` without calling `record` for a single
   * process, and while a rolling restart is in progress.
   */
  restart(record: () => Promise<void>): Promise<void>;
}
