/** Why the server stopped receiving a body: the memory of the process, the account's share of it, or the deadline of the upload. */
type BodyRejection = "budget" | "account_share" | "deadline";

/** The memory for request bodies, as far as a connection needs it. All listeners of a process share one. */
export interface BodyMemory {
  /** The memory that the unfinished uploads of each account take. */
  readonly uploads: {
    hasRoom(account: string, bytes: number, countedBytes: number): boolean;
    add(account: string, bytes: number): void;
    release(account: string, bytes: number): void;
  };
  /** Counts more bytes of a body, which is `bodyBytes` long with them. False where there is no memory for them: then none are counted. */
  take(bytes: number, bodyBytes: number): boolean;
  release(bytes: number): void;
  noteRejected(reason: BodyRejection): void;
}
