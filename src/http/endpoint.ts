import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";
import type { Access } from "../access/access.ts";
import type { RequestNotes } from "../requests/request-notes.ts";
import type { Schema } from "../lib/schema/schema.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One request and all that belongs to it while it is being answered. */
export interface Exchange {
  readonly request: IncomingRequest;
  readonly requestId: string;
  readonly startedAtMs: number;
  /** What is known of this request so far. Steps add to it as they learn. */
  readonly notes: RequestNotes;
  /** Set by a step that has something to say on every reply from then on, refusals included. Called when the reply is there. */
  describeReply?: (headers: Record<string, string>) => void;
  /** Set where the reply may be kept for ever, by anybody: another address would have other contents. */
  isForEver?: true;
  /** Set by whoever has something to do after the head of the reply was sent; the request has not ended before. */
  ends?: Promise<void>;
  /** How long the connection may be silent from here on, in seconds; 0 for as long as it takes. At most 255. */
  setIdleTimeout(seconds: number): void;
  /**
   * The caller has shown a valid credential: its connection may stay open, and counts against no limit of its address. The body, while it is
   * being received, counts for this account.
   */
  markAuthenticated(account: string): void;
  /** The body stays in use until this settles, where that is after the head of the reply was sent. */
  keepBodyUntil(settled: Promise<unknown>): void;
  /** The network address that the call comes from, if the connection is still there. */
  callerAddress(): string | null;
}

/** Headers that a reply may have: the type of each value, and in its description what it says. */
export type ReplyHeaders = Readonly<Record<string, Schema>>;

/** What a reply may hold. */
export interface ReplyContract {
  readonly description: string;
  /** Where many endpoints have this reply: its name in the published description, where they all refer to it. */
  readonly name?: string;
  /** Its own headers, besides those that every reply may have. */
  readonly headers?: ReplyHeaders;
  readonly json?: Schema;
  readonly events?: Schema;
  readonly problem?: Schema;
  /** Under media types of its own, for those who ask for it. */
  readonly others?: Readonly<Record<string, Schema>>;
}

/** What the published description says of an endpoint. */
export interface Contract {
  readonly operationId: string;
  readonly summary: string;
  /** Who may call it, where that differs from one endpoint to the next. */
  readonly access?: Access;
  readonly request?: Schema;
  /** Parameters of the query string, all of them optional. */
  readonly query?: Readonly<Record<string, Schema>>;
  /** Optional headers of the request, and what each does. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly replies: Readonly<Record<number, ReplyContract>>;
}

/** One method on one path: the only way to be reachable. */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
  readonly contract?: Contract;
  /** Says nothing while it succeeds: probes ask every few seconds. */
  readonly isProbe?: boolean;
  handle(exchange: Exchange): Promise<Reply> | Reply;
}
