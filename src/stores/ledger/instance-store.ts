import type { Change } from "../../access/change.ts";
import type { Nanos } from "../../money/money.ts";
import type { Purse } from "../../money/purse.ts";

/** The clients that a process serves: model clients, operators and members, or both. */
export const INSTANCE_ROLES = ["all", "gateway", "platform"] as const;
export type InstanceRole = (typeof INSTANCE_ROLES)[number];

/** The status that a process reports about itself. */
export interface InstanceStatus {
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** `owner`: it has started gateway processes, and serves no model clients itself. */
  readonly role: InstanceRole | "owner";
  /** Requests and connections of model clients. */
  readonly inFlight: number;
  readonly connections: number;
  readonly memoryBytes: number;
  readonly isDraining: boolean;
  /** The digest of the config file that the process has read, if any. */
  readonly configDigest: string | undefined;
}

/** A process of the cluster whose journal was not applied and closed yet, with the credit that its loss strands. */
export interface InstanceRecord {
  readonly id: string;
  /** `lost`: it has not called for a long time, and its journal may have charges that no other process knows. */
  readonly state: "live" | "lost" | "written_off";
  /** By the database's clock. */
  readonly startedAtMs: number;
  /** Since its last call. */
  readonly silentMs: number;
  readonly leases: readonly { readonly purse: Purse; readonly nanos: Nanos }[];
  readonly openHolds: number;
  readonly heldNanos: Nanos;
  /** Whether the config file that the process has read is the declared file; undefined if it has read none. */
  readonly hasDeclaredFile: boolean | undefined;
  /** Undefined before its first report. */
  readonly status: InstanceStatus | undefined;
}

/** A process that has called recently may be admitting requests: it cannot be written off. */
export class InstanceIsLive extends Error {
  override name = "InstanceIsLive";
}

/** The processes that share a database. All methods throw `StorageUnavailable`, unless they say otherwise. */
export interface InstanceStore {
  /**
   * From now on, reports the status of this process once a second. A failed report is not repeated: the next report replaces it. Never
   * throws.
   */
  report(status: () => InstanceStatus): void;
  /** All processes whose journal was not closed, in order of their start. */
  list(): Promise<readonly InstanceRecord[]>;
  /** Undefined if there is no process with this id, or its journal was applied and closed. */
  find(id: string): Promise<InstanceRecord | undefined>;
  /** Whether any live process has read the config file with this digest, or is the process `declaredBy`. */
  hasConfigFile(digest: string, declaredBy: string): Promise<boolean>;
  /**
   * Gives up the journal of a lost process: its open holds are charged for their last reported progress, or released, and its leases return
   * to their purses. The entry in the audit log is written in the same transaction. Does nothing if the process was already written off.
   * Throws `InstanceIsLive`.
   */
  writeOff(id: string, change: Change): Promise<void>;
}
