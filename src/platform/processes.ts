import type { Change } from "../access/change.ts";
import type { Nanos } from "../money/money.ts";
import type { Purse } from "../money/purse.ts";

/**
 * `single`: one process does everything. On several cores, one `owner` process has the data folder, and `gateway` processes serve model clients.
 * On several machines, processes that share a database serve `all` of it, or are `gateway` processes and `platform` processes; one that has
 * started gateway processes is their `owner`.
 */
export const PROCESS_ROLES = ["single", "owner", "gateway", "platform", "all"] as const;

/**
 * - `starting`: it was started, and has not connected to the owner process yet.
 * - `live`: it serves requests.
 * - `disconnected`: it has lost its connection to the owner process or the database, or has ended and its journal is not applied yet.
 * - `draining`: it finishes its requests in flight, and accepts no connections.
 * - `written_off`: it was given up, by an operator or because it was lost with durability `cluster`, and its journal has not come back. Such
 *   processes are not listed.
 */
export const PROCESS_STATES = ["starting", "live", "disconnected", "draining", "written_off"] as const;

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
  /** The name of its machine. Empty where it has not reported yet. */
  readonly host: string;
  readonly pid: number;
  readonly state: (typeof PROCESS_STATES)[number];
  readonly startedAtMs: number;
  /** Since the last heartbeat to the owner process or the database. Null before the first, and for a process that has the only database. */
  readonly heartbeatAgeMs: number | null;
  /** Requests and connections of the gateway listener. An owner process has none. */
  readonly inFlight: number;
  readonly connections: number;
  /** Resident memory. */
  readonly memoryBytes: number;
  readonly version: string;
  /** Empty for a process that has the only database. */
  readonly leases: readonly ProcessLease[];
  /** Its requests whose holds are open in the database that processes share, with what they hold. Undefined where none is shared. */
  readonly openHolds?: { readonly count: number; readonly nanos: Nanos };
  /** Whether its config file is the one that all processes serve. Undefined where it has none, or shares no database. */
  readonly config?: (typeof CONFIG_FILES)[number] | undefined;
}

/** The config file of a process: the declared one, which all processes serve, or another. */
export const CONFIG_FILES = ["declared", "other"] as const;

/** The processes of this Tollgate, as operators see and restart them. */
export interface Processes {
  /** The owner process, or the single process, comes first; other processes follow in the order of their start. */
  list(): Promise<readonly ProcessView[]>;
  /** A process, listed or written off; undefined where there is none. */
  find(id: string): Promise<ProcessView | undefined>;
  /** Whether a rolling restart is in progress, started by an operator, a signal or new settings. */
  readonly isRestarting: boolean;
  /**
   * Starts a rolling restart: each gateway process of this machine is replaced by a new one, one after another. Resolves with their ids when it
   * has started. `record` writes the audit log entry before that; where it throws, nothing is restarted. Throws `state_conflict` without calling
   * `record` for a process that has started no others, and while a rolling restart is in progress.
   */
  restart(record: (replaced: readonly string[]) => Promise<void>): Promise<readonly string[]>;
  /**
   * Gives up the journal of a lost process: its open holds are closed by their last reported progress, and its leases return to their accounts.
   * `record` makes the entry of the audit log, which is written in the same transaction; without it, the same checks are made and nothing is
   * changed. Returns the process as it was before: `written_off` where there was nothing to do. Throws `state_conflict` for a process that is
   * live, and where processes share no database; undefined where there is no such process.
   */
  writeOff(id: string, record: ((lost: ProcessView) => Change) | undefined): Promise<ProcessView | undefined>;
}
