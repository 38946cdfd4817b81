import type { IdempotentReply } from "../../stores/ledger/ledger-store.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import { withReceipt } from "../reply/receipt.ts";

/** What is kept of one answer at most. */
const MAX_KEPT_CHARS = 1024 * 1024;

/** The right to answer under an idempotency key, which one request has at a time, and what it records meanwhile. */
export class Claim {
  readonly scope: string;
  readonly digest: string;
  readonly #requestId: string;
  readonly #atMs: number;
  readonly #caller: CancelSignal;
  #hasTimedOut = false;
  readonly #ended = Promise.withResolvers<void>();
  #recorded: string[] = [];
  #chars = 0;

  /** `caller` ends when the one who asked disconnects. */
  constructor(scope: string, digest: string, requestId: string, atMs: number, caller: CancelSignal) {
    this.scope = scope;
    this.digest = digest;
    this.#requestId = requestId;
    this.#atMs = atMs;
    this.#caller = caller;
  }

  /** Whether the answer is completed for a caller that disconnected, or was told that it takes too long, and may ask again. */
  get hasLostCaller(): boolean {
    return this.#hasTimedOut || this.#caller.aborted;
  }

  timeOut(): void {
    this.#hasTimedOut = true;
  }

  /** Resolves when the request is over, whatever came of it. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  end(): void {
    this.#ended.resolve();
  }

  /** Ends when the request that has it is closed. */
  endWith(closed: Promise<void>): void {
    void closed.then(() => this.end());
  }

  /** Takes the next piece of the answer. */
  record(text: string): void {
    this.#chars += text.length;
    if (this.#chars > MAX_KEPT_CHARS) this.#recorded = [];
    else this.#recorded.push(text);
  }

  /** The answer to keep, with its last piece, which may tell the charge. */
  kept(headers: Readonly<Record<string, string>>, lastPiece: (entry: SettleEntry) => string): (entry: SettleEntry) => IdempotentReply {
    return (entry) => {
      this.record(lastPiece(entry));
      return {
        scope: this.scope,
        digest: this.digest,
        requestId: this.#requestId,
        atMs: this.#atMs,
        headers: withReceipt({ ...headers }, entry),
        body: this.#chars > MAX_KEPT_CHARS ? undefined : this.#recorded.join(""),
      };
    };
  }
}

/** The claims under way, by scope. */
export type Claims = Map<string, Claim>;
