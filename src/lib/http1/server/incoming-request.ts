import type { HeaderFields } from "../header-fields.ts";
import type { CancelSignal } from "../../async/cancellation.ts";

/** A request that comes in, its body still to be read. */
export interface IncomingRequest {
  readonly method: string;
  /** The path and the query, as they were sent. */
  readonly target: string;
  /** What stands for the names in the path of its endpoint. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: HeaderFields;
  /** What its headers take, and the line before them. */
  readonly headerBytes: number;
  /** Ends when the caller leaves before it is answered. */
  readonly signal: CancelSignal;
  /** Whether all of the body has been received. */
  readonly isReceived: boolean;
  /** The whole body. Throws `CallerGone` where the rest of it will never come. */
  bytes(maxBytes: number): Promise<Buffer> | Buffer;
}

/** The body is larger than whoever reads it takes. */
export class BodyTooLarge extends Error {}

/** The request bodies of the process take all of the memory that they may have. */
export class BodiesOverBudget extends Error {}

/** The unfinished uploads of the caller's account take all of the memory that those of one account may have. */
export class UploadsOverShare extends Error {}

/** The body was not received in the time that an upload may take. */
export class UploadTooSlow extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super(`not received within ${seconds} seconds`);
    this.seconds = seconds;
  }
}
