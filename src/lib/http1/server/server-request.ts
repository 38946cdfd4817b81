import type { BodyMemory } from "./body-memory.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { RequestBody } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import { Cancellation } from "../../async/cancellation.ts";

/** What a request may ask of the connection that it came over. */
export interface Carrier {
  /** The body is wanted: a caller that waits for leave to send it gets that. */
  askForBody(): void;
  /** How long the connection may be silent from here on, in seconds; 0 for as long as it takes. */
  setIdleTimeout(request: ServerRequest, seconds: number): void;
  /** A request on the connection had a valid credential. */
  markAuthenticated(): void;
  /** Where the connection comes from, if it is still there. */
  readonly address: string | null;
}

/** A request as it came over a connection. */
export class ServerRequest implements IncomingRequest {
  readonly headers: RequestHead;
  readonly body: RequestBody;
  params: Readonly<Record<string, string>> = {};
  readonly #carrier: Carrier;
  /** Settles when the body is no longer in use, where that is later than its reply. */
  #bodyInUse: Promise<unknown> | undefined;
  /** Ends when the caller leaves before it is answered. */
  readonly signal = new Cancellation();

  constructor(head: RequestHead, carrier: Carrier, bodies: BodyMemory) {
    this.headers = head;
    this.body = new RequestBody(head.framing, bodies);
    this.#carrier = carrier;
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
    return this.#carrier.address;
  }

  get isReceived(): boolean {
    return this.body.isEnded;
  }

  bytes(maxBytes: number): Promise<Buffer> | Buffer {
    const read = this.body.read(maxBytes);
    if (!this.body.isEnded) this.#carrier.askForBody();
    return read;
  }

  setIdleTimeout(seconds: number): void {
    this.#carrier.setIdleTimeout(this, seconds);
  }

  markAuthenticated(account: string): void {
    this.#carrier.markAuthenticated();
    this.body.countFor(account);
  }

  keepBodyUntil(settled: Promise<unknown>): void {
    this.#bodyInUse = settled;
  }

  /** The reply is there, whether or not it can be sent. Every request comes here once, so the memory of every body is released. */
  replied(): void {
    this.body.drop();
    if (this.#bodyInUse) this.#releaseAfter(this.#bodyInUse);
    else this.body.release();
  }

  #releaseAfter(settled: Promise<unknown>): void {
    const release = (): void => this.body.release();
    void settled.then(release, release);
  }

  callerLeft(): void {
    this.body.breakOff();
    this.signal.end();
  }
}
