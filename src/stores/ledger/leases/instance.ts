/**
 * A gateway process, as the authority knows it. `lost`: it has missed its heartbeats, and its leases stay, because it may have served
 * requests whose entries are still in its journal. `written_off`: its journal was given up, by an operator or, where all charges that clients have
 * seen are in the database, by the leader. `closed`: its journal was applied.
 */
export type InstanceState = "live" | "lost" | "written_off" | "closed";

export interface Instance {
  readonly id: string;
  /** Raised each time the process connects, so that a call of an earlier connection has no effect. */
  epoch: number;
  /** The number of the last change of the process that was applied. */
  appliedSeq: number;
  state: InstanceState;
}

/** A call of an instance that may no longer make any, or of an earlier connection. */
export class FencedError extends Error {
  override name = "FencedError";
}

/** A change is missing between the last one that was applied and the next one: the journal has lost a segment. */
export class SequenceGapError extends Error {
  override name = "SequenceGapError";
}
