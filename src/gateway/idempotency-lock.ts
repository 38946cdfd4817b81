import type { Claim } from "../stores/claims/claim-store.ts";
import type { IdempotentReply } from "../stores/ledger/ledger-store.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";
import type { SettleEntry } from "../money/ledger-entry.ts";
import { withReceipt } from "./reply/receipt.ts";

/** A larger response is not stored for a replay. */
const MAX_STORED_CHARS = 1024 * 1024;

/** The identity of a request, equal for the original and every retry of it by the client. */
export interface RequestIdentity {
  readonly scope: string;
  /** The digest of the body. */
  readonly digest: string;
}

/** The lock of the one request in flight under an idempotency key; it has the claim. It records the response for later replays. */
export class IdempotencyLock {
  readonly #identity: RequestIdentity;
  readonly #claim: Claim;
  readonly #requestId: string;
  readonly #atMs: number;
  readonly #client: CancelSignal;
  #hasTimedOut = false;
  readonly #released = Promise.withResolvers<void>();
  #recorded: string[] = [];
  #chars = 0;

  /** `client` is aborted when the client disconnects. */
  constructor(identity: RequestIdentity, claim: Claim, requestId: string, atMs: number, client: CancelSignal) {
    this.#identity = identity;
    this.#claim = claim;
    this.#requestId = requestId;
    this.#atMs = atMs;
    this.#client = client;
  }

  /** Whether the client has disconnected or timed out. The response is still completed, for the client's retry. */
  get isClientGone(): boolean {
    return this.#hasTimedOut || this.#client.aborted;
  }

  timeOut(): void {
    this.#hasTimedOut = true;
  }

  /** Resolves when the request has ended, successfully or not, and its claim is released. */
  get released(): Promise<void> {
    return this.#released.promise;
  }

  release(): void {
    void this.#claim.release().then(this.#released.resolve);
  }

  releaseAfter(closed: Promise<void>): void {
    void closed.then(() => this.release());
  }

  /** Records the next part of the response. */
  record(text: string): void {
    this.#chars += text.length;
    if (this.#chars > MAX_STORED_CHARS) this.#recorded = [];
    else this.#recorded.push(text);
  }

  /** Makes the reply to store from the recorded parts and the last one, which may contain the charge. */
  toReply(headers: Readonly<Record<string, string>>, lastPart: (entry: SettleEntry) => string): (entry: SettleEntry) => IdempotentReply {
    return (entry) => {
      this.record(lastPart(entry));
      return {
        ...this.#identity,
        requestId: this.#requestId,
        atMs: this.#atMs,
        headers: withReceipt({ ...headers }, entry),
        body: this.#chars > MAX_STORED_CHARS ? undefined : this.#recorded.join(""),
      };
    };
  }
}

/** The locks of this process's requests in flight: a shutdown waits for them. */
export type IdempotencyLocks = Set<IdempotencyLock>;
