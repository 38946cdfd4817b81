import type { ConnectionClosure } from "./connection-closures.ts";
import type { BodyMemory } from "./body-memory.ts";
import type { DeadlineSettings } from "./deadlines.ts";
import type { Reply } from "./reply.ts";
import type { ServerRequest } from "./server-request.ts";

/** The parts of a listener that a connection needs. */
export interface ListenerContext<Connection> extends DeadlineSettings {
  /** The value of the Date header. */
  readonly date: string;
  /** Whether every reply closes its connection. */
  readonly isDraining: boolean;
  /** The memory for request bodies. */
  readonly bodies: BodyMemory;
  /** Handles a request. Never rejects. */
  handle(request: ServerRequest): Promise<Reply>;
  /** The reply to a request that cannot be read or is not accepted, or whose reply cannot be written. */
  refuse(thrown: unknown): Reply;
  /** Called when a closing connection no longer has a request in flight. */
  connectionDrained(): void;
  /** Called for the first authenticated request of an account on this connection. Throws if the request may not be served. */
  authenticated(connection: Connection, account: string, isOperator: boolean): void;
  /** Called when the connection no longer has a valid credential. */
  unauthenticated(connection: Connection): void;
  /** Counts a connection that is closed to bound the resources of clients. */
  noteClosure(reason: ConnectionClosure): void;
}
