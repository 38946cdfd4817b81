import { DONE, EVENT_STREAM_HEADERS, toFrames, type EventSource } from "../http/sse.ts";
import type { Facts } from "../http/log.ts";
import type { ChunkStream } from "../upstreams/upstream.ts";
import { CallerGone } from "../vocabulary/caller-gone.ts";
import type { SettleEntry } from "../vocabulary/ledger-entry.ts";
import { countTokens, type Counted, type CountedUsage } from "../vocabulary/usage.ts";
import type { Admission } from "./admission.ts";
import type { Claim } from "./claim.ts";
import { receiptInChunk } from "./receipt.ts";
import { recordCharge } from "./record-charge.ts";

const NOTHING_YET: Counted = { usage: undefined, uncountedBytes: 0 };

/**
 * The chunks of an answer on their way to the caller. Whatever ends them, the request is charged for what came until then, and
 * the caller sees the end only when that is durable. The upstream may not have begun yet: a model that thinks long gets its
 * caller kept alive before its first word.
 */
export class SettlingStream implements EventSource {
  readonly #opening: Promise<ChunkStream>;
  readonly #admission: Admission;
  readonly #includeUsage: boolean;
  readonly #claim: Claim | undefined;
  readonly #facts: Facts;
  #chunks: ChunkStream | undefined;
  #isStopped = false;
  #isSettled = false;
  #isCancelled = false;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(opening: Promise<ChunkStream>, admission: Admission, includeUsage: boolean, claim: Claim | undefined, facts: Facts) {
    this.#opening = opening;
    this.#admission = admission;
    this.#includeUsage = includeUsage;
    this.#claim = claim;
    this.#facts = facts;
    // Under an idempotency key a crash charges nothing: the caller will ask again, and pays then.
    if (!claim) admission.watch(() => this.#count(false));
  }

  read(): Promise<readonly string[] | undefined> {
    const reading = this.#read();
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  /** The caller has left. An answer that is kept for its next try is read to the end; any other is broken off. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    if (this.#claim) return void this.#readToTheEnd();
    void this.#settle("the caller left", false);
    void this.#opening.then(
      (chunks) => chunks.cancel(),
      () => undefined,
    );
  }

  async #read(): Promise<readonly string[] | undefined> {
    if (this.#isSettled) return undefined;
    try {
      this.#chunks ??= await this.#opening;
      const events = this.#isStopped ? undefined : await this.#chunks.read();
      if (events === undefined) return await this.#end(this.#chunks);
      return this.#keep(this.#isTooDear() ? [...events, ...this.#stop(this.#chunks)] : events);
    } catch (error) {
      await this.#fail(error);
      throw error;
    }
  }

  /** The end of the answer: the charge, and, for a caller who asked for them, the token counts with the receipt. */
  async #end(chunks: ChunkStream): Promise<readonly string[] | undefined> {
    const counted = this.#count(true);
    const closing = (entry: SettleEntry): string[] => (this.#includeUsage ? [chunks.usageChunk(counted.usage, receiptInChunk(entry))] : []);
    const entry = await this.#settle(this.#isStopped ? "stopped at x-max-cost" : "complete", true, closing);
    this.#isSettled = true;
    return entry && this.#includeUsage ? closing(entry) : undefined;
  }

  /**
   * An answer of which nothing came costs nothing, whoever broke it off but the caller. Under an idempotency key neither does
   * half of one: the caller will ask again, and pays then.
   */
  async #fail(error: unknown): Promise<void> {
    const isCallers = error instanceof CallerGone;
    const reason = isCallers ? "the caller left" : "the upstream broke off";
    const isFree = this.#claim !== undefined || (!isCallers && this.#count(false).usage.completionTokens === 0);
    if (isFree) this.#admission.release(reason);
    else await this.#settle(reason, false);
  }

  async #settle(reason: string, isWhole: boolean, closing: (entry: SettleEntry) => string[] = () => []): Promise<SettleEntry | undefined> {
    const keep = isWhole ? this.#claim?.kept(EVENT_STREAM_HEADERS, (entry) => toFrames([...closing(entry), DONE])) : undefined;
    const entry = await this.#admission.settle(this.#count(isWhole), reason, keep);
    if (entry) recordCharge(entry, this.#facts);
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
    return events;
  }

  async #readToTheEnd(): Promise<void> {
    await this.#reading;
    while (await this.read().catch(() => undefined)) {
      // Kept by `read` itself.
    }
  }
}
