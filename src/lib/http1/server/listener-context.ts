import type { ConnectionClosure } from "./connection-closures.ts";
import type { BodyMemory } from "./body-memory.ts";
import type { DeadlineSettings } from "./deadlines.ts";
import type { Reply } from "./reply.ts";
import type { ServerRequest } from "./server-request.ts";

/** What a listener's connections have in common. */
export interface ListenerContext<Connection> extends DeadlineSettings {
  /** The time of day, for the header of that name. */
  readonly date: string;
  /** Whether every reply is to be the last of its connection. */
  readonly isDraining: boolean;
  /** The memory that the bodies of requests may take. */
  readonly bodies: BodyMemory;
  /** Has a request answered. Never rejects. */
  answer(request: ServerRequest): Promise<Reply>;
  /** What is said to somebody whose request cannot be read or is not wanted, or whose reply cannot be written. */
  refuse(thrown: unknown): Reply;
  /** A connection that was to end has nothing under way any more. */
  rested(): void;
  /** A request on this connection had a valid credential, for the first time. */
  authenticated(connection: Connection): void;
  /** A connection is closed to bound what callers can hold. */
  noteClosure(reason: ConnectionClosure): void;
}
