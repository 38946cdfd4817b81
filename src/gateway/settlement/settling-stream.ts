import { DONE, toFrames, type EventSource } from "../../http/sse.ts";
import type { IdempotentReply } from "../../stores/ledger/ledger-store.ts";
import type { ChunkStream } from "../../upstreams/upstream.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import type { RequestNotes } from "../../requests/request-notes.ts";
import type { Consumer } from "../../lib/async/source.ts";
import { countTokens, type Counted, type CountedUsage } from "../../money/usage.ts";
import type { Admission } from "../admission/admission.ts";
import type { Claim } from "../idempotency/idempotency-lock.ts";
import { BackPressure } from "./back-pressure.ts";
import { receiptInChunk } from "../reply/receipt.ts";
import { howCallerLeft } from "./settle.ts";

const NOTHING_YET: Counted = { usage: undefined, uncountedBytes: 0 };

/** What an estimate has for a prompt that is not charged. */
const NO_PROMPT = 0;

export interface SettlingStreamOptions {
  readonly opening: Promise<ChunkStream>;
  readonly admission: Admission;
  readonly includeUsage: boolean;
  readonly claim: Claim | undefined;
  /** Of the reply, to be kept with the answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly notes: RequestNotes;
}

/**
 * The chunks of an answer on their way to the caller. Whatever ends them, the request is charged for what came until then, and
 * the caller sees the end only when that is durable. The upstream may not have begun yet: a model that thinks long gets its
 * caller kept alive before its first word.
 */
export class SettlingStream implements EventSource, Consumer<readonly string[]> {
  readonly #options: SettlingStreamOptions;
  readonly #admission: Admission;
  readonly #claim: Claim | undefined;
  #chunks: ChunkStream | undefined;
  #isStopped = false;
  #isSettled = false;
  #isCancelled = false;
  readonly #backPressure = new BackPressure();
  #waiting: Consumer<readonly string[]> | undefined;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(options: SettlingStreamOptions) {
    this.#options = options;
    this.#admission = options.admission;
    this.#claim = options.claim;
    // Under an idempotency key a crash charges nothing: the caller will ask again, and pays then.
    if (!this.#claim) this.#admission.watch(() => this.#count(false));
  }

  read(taker: Consumer<readonly string[]>): void {
    if (this.#isSettled) return taker.end();
    this.#waiting = taker;
    this.#backPressure.end();
    if (this.#chunks) this.#ask(this.#chunks);
    else void this.#begin();
  }

  take(events: readonly string[]): void {
    let kept: readonly string[];
    try {
      kept = this.#keep(this.#isTooDear() ? [...events, ...this.#stop(this.#chunks!)] : events);
    } catch (error) {
      return this.fail(error);
    }
    this.#takeWaiting().take(kept);
    // A caller with room has asked for more by now.
    if (!this.#waiting) this.#backPressure.begin();
  }

  end(): void {
    this.#end(this.#chunks!).then(
      (last) => (last ? this.#takeWaiting().take(last) : this.#takeWaiting().end()),
      (error: unknown) => this.fail(error),
    );
  }

  fail(error: unknown): void {
    void this.#tellFailure(error);
  }

  /** The caller has left. An answer that is kept for its next try is read to the end; any other is broken off. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#settled = (this.#claim ? this.#readToTheEnd() : this.#leave("the caller left")).catch(() => undefined);
    if (this.#claim) return;
    void this.#options.opening.then(
      (chunks) => chunks.cancel(),
      () => undefined,
    );
  }

  /** Resolves when it is known what a caller who has left is charged. */
  get settled(): Promise<unknown> {
    return this.#settled;
  }

  async #begin(): Promise<void> {
    try {
      this.#chunks = await this.#options.opening;
    } catch (error) {
      return this.fail(error);
    }
    this.#ask(this.#chunks);
  }

  #ask(chunks: ChunkStream): void {
    if (this.#isStopped) this.end();
    else chunks.read(this);
  }

  #takeWaiting(): Consumer<readonly string[]> {
    const waiting = this.#waiting!;
    this.#waiting = undefined;
    return waiting;
  }

  /** The end of the answer: the charge, and, for a caller who asked for them, the token counts with the receipt. */
  async #end(chunks: ChunkStream): Promise<readonly string[] | undefined> {
    const counted = this.#count(true);
    const { includeUsage } = this.#options;
    const promptDerivation = chunks.usage ? undefined : this.#admission.promptDerivation;
    const closing = (entry: SettleEntry): string[] =>
      includeUsage ? [chunks.usageChunk(counted.usage, receiptInChunk(entry, promptDerivation))] : [];
    const entry = await this.#settle(this.#isStopped ? "stopped at x-max-cost" : "complete", true, closing);
    this.#isSettled = true;
    return entry && includeUsage ? closing(entry) : undefined;
  }

  async #tellFailure(error: unknown): Promise<void> {
    let told = error;
    try {
      await this.#settleFailure(error);
    } catch (worse) {
      told = worse;
    }
    this.#takeWaiting().fail(told);
  }

  /**
   * Where the upstream fails, the caller pays for the output that was received, with a prompt that the upstream has counted; an answer of
   * which nothing came costs nothing. A caller could make every upstream fail by not reading, and is charged as if it had left. So is one
   * whose request is to blame: a prompt that fills the context, or leads to what a filter stops, must not become free that way.
   */
  async #settleFailure(error: unknown): Promise<void> {
    const left = howCallerLeft(error);
    if (left !== undefined) return this.#leave(left);
    if (this.#backPressure.mayCauseFailure) return this.#leave("the upstream broke off while the caller was not reading");
    // It may as well be ours, such as a ledger that cannot be written.
    this.#admission.hasBrokenOff = error instanceof GatewayError && error.fault !== undefined && error.fault.kind !== "unsupported";
    const isRequestToBlame = error instanceof GatewayError && error.status === 400;
    const reason = isRequestToBlame ? "the upstream refused to go on" : "the upstream broke off";
    const counted = countTokens(this.#chunks ?? NOTHING_YET, isRequestToBlame ? this.#admission.promptEstimate : NO_PROMPT, false);
    if (counted.usage.completionTokens === 0) this.#admission.release(reason);
    else await this.#charge(counted, reason);
  }

  /** Of a caller who did not wait, the prompt at least was read; not where no upstream was at work at that moment. */
  async #leave(reason: string): Promise<void> {
    if (this.#admission.upstream === undefined) this.#admission.release(reason);
    else await this.#settle(reason, false);
  }

  async #settle(reason: string, isWhole: boolean, closing: (entry: SettleEntry) => string[] = () => []): Promise<SettleEntry | undefined> {
    const keep = isWhole ? this.#claim?.kept(this.#options.headers, (entry) => toFrames([...closing(entry), DONE])) : undefined;
    return this.#charge(this.#count(isWhole), reason, keep);
  }

  async #charge(counted: CountedUsage, reason: string, keep?: (entry: SettleEntry) => IdempotentReply): Promise<SettleEntry | undefined> {
    const entry = await this.#admission.settle(counted, reason, keep);
    if (entry) this.#options.notes.charge = entry;
    return entry;
  }

  #count(isWhole: boolean): CountedUsage {
    return countTokens(this.#chunks ?? NOTHING_YET, this.#admission.promptEstimate, isWhole && !this.#isStopped);
  }

  #isTooDear(): boolean {
    const { maxCostNanos } = this.#admission;
    return maxCostNanos !== undefined && this.#admission.costOf(this.#count(false)) >= maxCostNanos;
  }

  #stop(chunks: ChunkStream): readonly string[] {
    this.#isStopped = true;
    return chunks.stop();
  }

  #keep(events: readonly string[]): readonly string[] {
    this.#claim?.record(toFrames(events));
    this.#options.notes.trace?.heard(events);
    return events;
  }

  /** Whoever waited is gone: in its place all is taken, to be kept. */
  #readToTheEnd(): Promise<void> {
    return new Promise((resolve) => {
      const keeper: Consumer<readonly string[]> = { take: () => this.read(keeper), end: resolve, fail: () => resolve() };
      if (this.#waiting) this.#waiting = keeper;
      else this.read(keeper);
    });
  }
}
