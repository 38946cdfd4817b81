import type { Incoming } from "../incoming.ts";
import { RequestBody } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import { Ending } from "../../vocabulary/end-signal.ts";

/** What a request may ask of the connection that it came over. */
export interface Carrier {
  /** The body is wanted: a caller that waits for leave to send it gets that. */
  askForBody(): void;
  /** How long the connection may be silent from here on, in seconds; 0 for as long as it takes. */
  allowSilence(request: WireRequest, seconds: number): void;
  /** Where the connection comes from, if it is still there. */
  readonly address: string | null;
}

/** A request as it came over a connection. */
export class WireRequest implements Incoming {
  readonly headers: RequestHead;
  readonly body: RequestBody;
  params: Readonly<Record<string, string>> = {};
  readonly #carrier: Carrier;
  /** Ends when the caller leaves before it is answered. */
  readonly signal = new Ending();

  constructor(head: RequestHead, carrier: Carrier) {
    this.headers = head;
    this.body = new RequestBody(head.framing);
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

  bytes(maxBytes: number): Promise<Buffer> | Buffer {
    const read = this.body.read(maxBytes);
    if (!this.body.isEnded) this.#carrier.askForBody();
    return read;
  }

  allowSilence(seconds: number): void {
    this.#carrier.allowSilence(this, seconds);
  }

  callerLeft(): void {
    this.body.breakOff();
    this.signal.end();
  }
}
