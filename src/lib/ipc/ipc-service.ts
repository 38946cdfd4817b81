/** The other process of a connection. A call throws `RemoteError` or `ConnectionLost`; a notice that cannot be sent is dropped. */
export interface IpcPeer {
  call(method: string, body: unknown, timeoutMs?: number): Promise<unknown>;
  notify(method: string, body: unknown): void;
}

/** A gateway process, as the owner process sees it while it is connected. */
export interface ConnectedProcess extends IpcPeer {
  readonly id: string;
}

/**
 * A part of what the owner process does for its gateway processes: the owner's side of a `ProcessService` with the same name. The methods
 * of its calls and notices are sent as `name.method`, in order.
 */
export interface OwnerService {
  readonly name: string;
  readonly calls?: Readonly<Record<string, (from: ConnectedProcess, body: unknown) => unknown>>;
  readonly notices?: Readonly<Record<string, (from: ConnectedProcess, body: unknown) => void>>;
  /**
   * Called when a process has connected, for the first time or again. `statement` comes from the process's side; the result is the initial
   * state that the process receives. A new owner accepts no process before every process that outlived the previous owner has sent its
   * statement, or has ended.
   */
  connected?(process: ConnectedProcess, statement: unknown): unknown;
  /** Called when the connection has ended. The process may connect again. */
  disconnected?(processId: string): void;
  /** Called when a process has ended and its journal is in the ledger. */
  ended?(processId: string): void;
}

/** A gateway process's side of an `OwnerService` with the same name. */
export interface ProcessService {
  readonly name: string;
  readonly calls?: Readonly<Record<string, (body: unknown) => unknown>>;
  readonly notices?: Readonly<Record<string, (body: unknown) => void>>;
  /** The state of this process that a new owner needs, because it has lost everything that is not durable. */
  statement?(): unknown;
  /** Called when the owner has accepted the connection, with the initial state that it sends. */
  connected?(initial: unknown): void;
  disconnected?(): void;
}
