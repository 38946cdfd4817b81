import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";
import type { Access } from "../access/access.ts";
import type { RequestNotes } from "../requests/request-notes.ts";
import type { Schema } from "../lib/schema/schema.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The server's side of one request: the request, and its state while an endpoint handles it. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly requestId: string;
  readonly startedAtMs: number;
  /** What is known about the request so far. Steps add to it. */
  readonly notes: RequestNotes;
  /** Set by a step that adds headers to every reply from then on, errors included. Called when the reply is ready. */
  describeReply?: (headers: Record<string, string>) => void;
  /** Set where a page has another content security policy than those of its listener. */
  contentSecurityPolicy?: string;
  /** Set where the reply may be cached forever: other contents would have another URL. */
  isImmutable?: true;
  /** Set where work continues after the head of the reply; the request ends when it settles. */
  ends?: Promise<void>;
  /** Sets the idle timeout of the connection from now on, in seconds; 0 for none. At most 255. */
  setIdleTimeout(seconds: number): void;
  /**
   * The caller is authenticated: its connection may stay open, and counts for this account, or this person, instead of its address, until this
   * credential is no longer valid. The body, while it is received, counts against the share of the account. Throws where the listener is full
   * and the account has its share of the connections.
   */
  markAuthenticated(account: string, credential?: string, isOperator?: boolean): void;
  /** The body stays in memory until this settles, where that is after the head of the reply. */
  keepBodyUntil(settled: Promise<unknown>): void;
  /** The client's IP address; null once the connection is closed. */
  callerAddress(): string | null;
}

/** Headers that a reply may have, each with its type and description. */
export type ReplyHeaders = Readonly<Record<string, Schema>>;

/** The documented contents of a reply. */
export interface ReplyContract {
  readonly description: string;
  /** The name under which it is published once, where many endpoints share it. */
  readonly name?: string;
  /** Its own headers, besides those that every reply may have. */
  readonly headers?: ReplyHeaders;
  readonly json?: Schema;
  readonly events?: Schema;
  readonly problem?: Schema;
  /** Other media types, which clients select by Accept. */
  readonly others?: Readonly<Record<string, Schema>>;
}

/** The documentation of an endpoint in OpenAPI. */
export interface Contract {
  readonly operationId: string;
  readonly summary: string;
  /** Who may call it, where that differs between endpoints. */
  readonly access?: Access;
  readonly request?: Schema;
  /** Parameters of the query string, all of them optional. */
  readonly query?: Readonly<Record<string, Schema>>;
  /** Optional headers of the request, and what each does. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly replies: Readonly<Record<number, ReplyContract>>;
}

/** A method on a path. Nothing else is reachable. */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
  readonly contract?: Contract;
  /** Not logged while it succeeds: probes call every few seconds. */
  readonly isProbe?: boolean;
  handle(exchange: Exchange): Promise<Reply> | Reply;
}
