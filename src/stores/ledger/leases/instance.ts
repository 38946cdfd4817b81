/**
 * The state of a gateway process, as the authority knows it. `lost`: it has missed its heartbeats; its leases stay, because it may have
 * served requests whose entries are still in its journal. `written_off`: its journal was given up, either by an operator, or by the leader
 * if the database has all charges that clients have seen. `closed`: its journal was applied.
 */
export type InstanceState = "live" | "lost" | "written_off" | "closed";

export interface Instance {
  readonly id: string;
  /** Incremented each time the process connects, so that a call over an earlier connection has no effect. */
  epoch: number;
  /** The number of the last applied change of the process. */
  appliedSeq: number;
  state: InstanceState;
}

/** A call of an instance that may make no more calls, or a call over an earlier connection. */
export class FencedError extends Error {
  override name = "FencedError";
}

/** A change is missing between the last applied change and the next one: the journal has lost a segment. */
export class SequenceGapError extends Error {
  override name = "SequenceGapError";
}
