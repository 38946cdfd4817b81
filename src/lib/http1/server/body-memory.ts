/** Why the server stopped receiving a body: the memory of the process, the account's share of it, or the deadline of the upload. */
type BodyRejection = "budget" | "account_share" | "deadline";

/** The part of the memory budget for request bodies that a connection needs. All listeners of a process share one budget. */
export interface BodyMemory {
  /** The memory that the unfinished uploads of each account take. */
  readonly uploads: {
    hasRoom(account: string, bytes: number, countedBytes: number): boolean;
    add(account: string, bytes: number): void;
    release(account: string, bytes: number): void;
  };
  /**
   * Counts more bytes of a body; `bodyBytes` is its length including them. Returns false, and counts nothing, if there is no memory for
   * them.
   */
  take(bytes: number, bodyBytes: number): boolean;
  release(bytes: number): void;
  noteRejected(reason: BodyRejection): void;
}
