import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";
import type { Access } from "../access/access.ts";
import type { RequestNotes } from "../requests/request-notes.ts";
import type { Schema } from "../lib/schema/schema.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

/** The format of errors: an API's own, which clients of models know, or the problem details of RFC 9457. */
export type ErrorFormat = "chat-completions" | "messages" | "responses" | "problem-details";

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
  /** Set for a page whose content security policy differs from the listener's. */
  contentSecurityPolicy?: string;
  /** Set if the reply may be cached forever, because other contents would have another URL. */
  isImmutable?: true;
  /** Set if work continues after the head of the reply; the request ends when this promise settles. */
  ends?: Promise<void>;
  /** Sets the idle timeout of the connection from now on, in seconds; 0 for none. At most 255. */
  setIdleTimeout(seconds: number): void;
  /**
   * Marks the caller as authenticated: its connection may stay open, and counts for this account or person instead of its address, until
   * this credential is no longer valid. While the body is received, it counts against the account's share. Throws if the listener is full
   * and the account has used up its share of the connections.
   */
  markAuthenticated(account: string, credential?: string, isOperator?: boolean): void;
  /** Keeps the body in memory until this promise settles, even after the head of the reply. */
  keepBodyUntil(settled: Promise<unknown>): void;
  /** The client's IP address; null once the connection is closed. */
  callerAddress(): string | null;
}

/** Headers that a reply may have, each with its type and description. */
export type ReplyHeaders = Readonly<Record<string, Schema>>;

/** The documented contents of a reply. */
export interface ReplyContract {
  readonly description: string;
  /** The name under which a schema that many endpoints share is published once. */
  readonly name?: string;
  /** The headers of this reply, besides those that every reply may have. */
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
  /** Who may call the endpoint, if that differs between endpoints. */
  readonly access?: Access;
  readonly request?: Schema;
  /** Parameters of the query string, all of them optional. */
  readonly query?: Readonly<Record<string, Schema>>;
  /** Optional request headers, each with a description. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly replies: Readonly<Record<number, ReplyContract>>;
}

/** A method on a path. Nothing else is reachable. */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
  readonly contract?: Contract;
  /** The format of its errors, if it differs from the listener's. */
  readonly errorFormat?: ErrorFormat;
  /** Whether this is a health probe. Successful probes are not logged: they arrive every few seconds. */
  readonly isProbe?: boolean;
  /** Whether it is served at the moment, for an endpoint that can be turned on and off. */
  readonly isOn?: () => boolean;
  handle(exchange: Exchange): Promise<Reply> | Reply;
}
