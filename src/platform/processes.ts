import type { Change } from "../access/change.ts";
import type { Nanos } from "../money/money.ts";
import type { Purse } from "../money/purse.ts";

/**
 * `single`: one process does everything. With several processes on one machine, one `owner` process has the data folder, and `gateway`
 * processes serve model clients. On several machines, the processes share a database. A process then serves `all`, or is a `gateway`
 * process or a `platform` process; a process that has started gateway processes is their `owner`.
 */
export const PROCESS_ROLES = ["single", "owner", "gateway", "platform", "all"] as const;

/**
 * - `starting`: it was started, and has not connected to the owner process yet.
 * - `live`: it serves requests.
 * - `disconnected`: it has lost its connection to the owner process or the database, or it has ended and its journal is not applied yet.
 * - `draining`: it finishes its requests in flight, and accepts no connections.
 * - `written_off`: it was given up, by an operator or because it was lost with durability `cluster`, and its journal has not come back.
 *   Written-off processes are not listed.
 */
export const PROCESS_STATES = ["starting", "live", "disconnected", "draining", "written_off"] as const;

/** The part of an account's credit, or of a key's spend caps, that a gateway process may spend without calling the owner process. */
export interface ProcessLease {
  readonly purse: Purse;
  readonly nanos: Nanos;
}

/** A process of this Tollgate, at the time of its last report. Numbers that a process has not reported yet are 0. */
export interface ProcessView {
  /** A gateway process gets a new ID at each start. */
  readonly id: string;
  readonly role: (typeof PROCESS_ROLES)[number];
  /** The name of its machine. Empty if it has not been reported yet. */
  readonly host: string;
  readonly pid: number;
  readonly state: (typeof PROCESS_STATES)[number];
  readonly startedAtMs: number;
  /**
   * The time since the last heartbeat to the owner process or the database. Null before the first heartbeat, and for a process that has the
   * only database.
   */
  readonly heartbeatAgeMs: number | null;
  /** The requests and connections of the gateway listener. An owner process has no gateway listener. */
  readonly inFlight: number;
  readonly connections: number;
  /** Resident memory. */
  readonly memoryBytes: number;
  readonly version: string;
  /** Empty for a process that has the only database. */
  readonly leases: readonly ProcessLease[];
  /** Its open holds in the shared database, with their sum. Undefined if processes share no database. */
  readonly openHolds?: { readonly count: number; readonly nanos: Nanos };
  /** Whether its config file is the file that all processes serve. Undefined if it has no config file, or shares no database. */
  readonly config?: (typeof CONFIG_FILES)[number] | undefined;
}

/** The config file of a process: the declared file, which all processes serve, or another file. */
export const CONFIG_FILES = ["declared", "other"] as const;

/** The processes of this Tollgate, as operators see and restart them. */
export interface Processes {
  /** The owner process, or the single process, comes first; other processes follow in the order of their start. */
  list(): Promise<readonly ProcessView[]>;
  /** A process, listed or written off; undefined if it does not exist. */
  find(id: string): Promise<ProcessView | undefined>;
  /** Whether a rolling restart is in progress, started by an operator, a signal or new settings. */
  readonly isRestarting: boolean;
  /**
   * Starts a rolling restart: each gateway process of this machine is replaced by a new process, one after another. Resolves with their IDs
   * when the restart has started. `record` writes the audit log entry before that; if it throws, nothing is restarted. Throws
   * `state_conflict` without calling `record` if this process has started no other processes, or while a rolling restart is in progress.
   */
  restart(record: (replaced: readonly string[]) => Promise<void>): Promise<readonly string[]>;
  /**
   * Abandons the journal of a lost process: its open holds are closed by their last reported progress, and its leases return to their
   * accounts. `record` creates the entry of the audit log, which is written in the same transaction. Without `record`, the same checks are
   * made and nothing is changed. Returns the process as it was before: `written_off` if there was nothing to do; undefined if there is no
   * such process. Throws `state_conflict` if the process is live, or if processes share no database.
   */
  writeOff(id: string, record: ((lost: ProcessView) => Change) | undefined): Promise<ProcessView | undefined>;
}
