import type { IdempotentReply } from "../../stores/ledger/ledger-store.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import { withReceipt } from "../reply/receipt.ts";

/** A larger response is not stored for a replay. */
const MAX_STORED_CHARS = 1024 * 1024;

/** Held by the one request that is in flight under an idempotency key. It records the response for later replays. */
export class IdempotencyLock {
  readonly scope: string;
  readonly digest: string;
  readonly #requestId: string;
  readonly #atMs: number;
  readonly #client: CancelSignal;
  #hasTimedOut = false;
  readonly #released = Promise.withResolvers<void>();
  #recorded: string[] = [];
  #chars = 0;

  /** `client` is aborted when the client disconnects. */
  constructor(scope: string, digest: string, requestId: string, atMs: number, client: CancelSignal) {
    this.scope = scope;
    this.digest = digest;
    this.#requestId = requestId;
    this.#atMs = atMs;
    this.#client = client;
  }

  /** Whether the client has disconnected or timed out. The response is completed for its retry. */
  get isClientGone(): boolean {
    return this.#hasTimedOut || this.#client.aborted;
  }

  timeOut(): void {
    this.#hasTimedOut = true;
  }

  /** Resolves when the request has ended, successfully or not. */
  get released(): Promise<void> {
    return this.#released.promise;
  }

  release(): void {
    this.#released.resolve();
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
        scope: this.scope,
        digest: this.digest,
        requestId: this.#requestId,
        atMs: this.#atMs,
        headers: withReceipt({ ...headers }, entry),
        body: this.#chars > MAX_STORED_CHARS ? undefined : this.#recorded.join(""),
      };
    };
  }
}

/** The locks of the requests in flight, by scope. */
export type IdempotencyLocks = Map<string, IdempotencyLock>;
