import type { HeaderFields } from "../header-fields.ts";
import type { CancelSignal } from "../../async/cancellation.ts";

/** A request as its handler sees it. The body may not be received yet. */
export interface IncomingRequest {
  readonly method: string;
  /** The path and the query, as they were sent. */
  readonly target: string;
  /** The path parameters, as defined by the endpoint. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: HeaderFields;
  /** The size of the head: the request line and all headers. */
  readonly headerBytes: number;
  /** Cancelled when the client disconnects before it has the reply. */
  readonly signal: CancelSignal;
  /** Whether all of the body has been received. */
  readonly isReceived: boolean;
  /** The complete body. Throws `CallerGone` if the rest will never be received. */
  bytes(maxBytes: number): Promise<Buffer> | Buffer;
}

/** The body is larger than its reader accepts. */
export class BodyTooLarge extends Error {}

/** The request bodies of the process have used up their memory budget. */
export class BodiesOverBudget extends Error {}

/** The unfinished uploads of the caller's account have used up the account's share of that budget. */
export class UploadsOverShare extends Error {}

/** The body was not received within the upload timeout. */
export class UploadTooSlow extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super(`not received within ${seconds} seconds`);
    this.seconds = seconds;
  }
}
