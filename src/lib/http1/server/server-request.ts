import type { BodyMemory } from "./body-memory.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { RequestBody } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import { Cancellation } from "../../async/cancellation.ts";

/** The methods of a connection that a request needs. */
export interface RequestConnection {
  /** Lets the client send the body: answers `Expect: 100-continue`, and resumes reading. */
  requestBody(): void;
  /** Sets the idle timeout of the connection from now on, in seconds; 0 for none. */
  setIdleTimeout(request: ServerRequest, seconds: number): void;
  /** The owner that the connection counts for. */
  readonly standing: { authenticate(account: string, credential: string | undefined, isOperator: boolean): void };
  /** The remote address; null once the connection is closed, and for a client of a unix socket. */
  readonly address: string | null;
}

/** A request on a server connection. */
export class ServerRequest implements IncomingRequest {
  readonly headers: RequestHead;
  readonly body: RequestBody;
  params: Readonly<Record<string, string>> = {};
  readonly #connection: RequestConnection;
  /** Settles when the body is no longer used, if that is after the reply. */
  #bodyInUse: Promise<unknown> | undefined;
  /** Cancelled when the client disconnects before it has the reply. */
  readonly signal = new Cancellation();

  constructor(head: RequestHead, connection: RequestConnection, bodies: BodyMemory) {
    this.headers = head;
    this.body = new RequestBody(head.framing, bodies);
    this.#connection = connection;
  }

  get method(): string {
    return this.headers.method;
  }

  get headerBytes(): number {
    return this.headers.headerBytes;
  }

  get target(): string {
    return this.headers.target;
  }

  get callerAddress(): string | null {
    return this.#connection.address;
  }

  get isReceived(): boolean {
    return this.body.isEnded;
  }

  bytes(maxBytes: number): Promise<Buffer> | Buffer {
    const read = this.body.read(maxBytes);
    if (!this.body.isEnded) this.#connection.requestBody();
    return read;
  }

  setIdleTimeout(seconds: number): void {
    this.#connection.setIdleTimeout(this, seconds);
  }

  markAuthenticated(account: string, credential?: string, isOperator = false): void {
    this.#connection.standing.authenticate(account, credential, isOperator);
    this.body.countFor(account);
  }

  keepBodyUntil(settled: Promise<unknown>): void {
    this.#bodyInUse = settled;
  }

  /**
   * Called once for every request when its reply is ready, even if the reply cannot be written, so that the memory of every body is
   * released.
   */
  replied(): void {
    this.body.drop();
    if (this.#bodyInUse) this.#releaseAfter(this.#bodyInUse);
    else this.body.release();
  }

  #releaseAfter(settled: Promise<unknown>): void {
    const release = (): void => this.body.release();
    void settled.then(release, release);
  }

  cancel(): void {
    this.body.fail();
    this.signal.end();
  }
}
