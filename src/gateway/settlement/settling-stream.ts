import type { EventFormat, EventSource } from "../../http/sse.ts";
import type { ChunkStream } from "../../upstreams/upstream.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import { READ_ON_CHARS } from "../../requests/disconnect-policy.ts";
import type { RequestNotes } from "../../requests/request-notes.ts";
import type { Consumer } from "../../lib/async/source.ts";
import type { ReceivedUsage, CountedUsage } from "../../money/usage.ts";
import type { Admission } from "../admission/admission.ts";
import type { IdempotencyLock } from "../idempotency-lock.ts";
import { receiptInChunk } from "../reply/receipt.ts";
import { settleDisconnect, settleStream, settleStreamFailure, type ResponseEnd, type SettlementContext } from "./settle.ts";

const NOTHING_RECEIVED: ReceivedUsage = { usage: undefined, uncountedBytes: 0 };

interface SettlingStreamOptions extends SettlementContext {
  readonly opening: Promise<ChunkStream>;
  readonly admission: Admission;
  readonly includeUsage: boolean;
  readonly format: EventFormat;
  readonly lock: IdempotencyLock | undefined;
  /** The headers of the reply, stored with it for an idempotent replay. */
  readonly headers: Readonly<Record<string, string>>;
  readonly notes: RequestNotes;
}

/**
 * The chunks of a stream on their way to the client, settled when they end: complete, stopped, failed or disconnected. The upstream may
 * not have sent its first chunk yet: keep-alive comments are sent while a model thinks.
 */
export class SettlingStream implements EventSource, Consumer<readonly string[]> {
  readonly #options: SettlingStreamOptions;
  readonly #admission: Admission;
  readonly #lock: IdempotencyLock | undefined;
  #chunks: ChunkStream | undefined;
  #isStopped = false;
  #isSettled = false;
  #isCancelled = false;
  readonly #backPressure = new BackPressure();
  #consumer: Consumer<readonly string[]> | undefined;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(options: SettlingStreamOptions) {
    this.#options = options;
    this.#admission = options.admission;
    this.#lock = options.lock;
    // With an idempotency key, a crash charges nothing: the client sends the request again, and pays for the retry.
    if (!this.#lock) this.#admission.watch(() => this.#count(false));
  }

  read(consumer: Consumer<readonly string[]>): void {
    if (this.#isSettled) return consumer.end();
    this.#consumer = consumer;
    this.#backPressure.end();
    if (this.#chunks) this.#readFrom(this.#chunks);
    else void this.#open();
  }

  take(events: readonly string[]): void {
    let sent: readonly string[];
    try {
      sent = this.#record(this.#hasReachedMaxCost() ? [...events, ...this.#stop(this.#chunks!)] : events);
    } catch (error) {
      return this.fail(error);
    }
    this.#takeConsumer().take(sent);
    // A client that keeps up with the stream has called `read` again by now.
    if (!this.#consumer) this.#backPressure.begin();
  }

  end(): void {
    this.#end(this.#chunks!).then(
      (last) => (last ? this.#takeConsumer().take(last) : this.#takeConsumer().end()),
      (error: unknown) => this.fail(error),
    );
  }

  fail(error: unknown): void {
    void this.#settleAndFail(error);
  }

  /**
   * Called when the client disconnects. The gateway continues to read the response if the operator wants exact counts, and reads it to its
   * end under an idempotency key, for the client's retry. Otherwise, the call is cancelled.
   */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const isReadOn = this.#lock !== undefined || this.#admission.isReadOn;
    this.#settled = (isReadOn ? this.#drain() : settleDisconnect(this.#options, this.#chunks)).catch(() => undefined);
    if (isReadOn) return;
    void this.#options.opening.then(
      (chunks) => chunks.cancel(),
      () => undefined,
    );
  }

  /** Resolves when the charge of a client that disconnected is known. */
  get settled(): Promise<unknown> {
    return this.#settled;
  }

  async #open(): Promise<void> {
    try {
      this.#chunks = await this.#options.opening;
    } catch (error) {
      return this.fail(error);
    }
    this.#readFrom(this.#chunks);
  }

  #readFrom(chunks: ChunkStream): void {
    if (this.#isStopped) this.end();
    else chunks.read(this);
  }

  #takeConsumer(): Consumer<readonly string[]> {
    const consumer = this.#consumer!;
    this.#consumer = undefined;
    return consumer;
  }

  /** Settles, and returns the last chunk: the token counts with the receipt, if the client requested usage. */
  async #end(chunks: ChunkStream): Promise<readonly string[] | undefined> {
    const counted = this.#count(true);
    const { includeUsage, format, headers } = this.#options;
    const promptDerivation = chunks.usage ? undefined : this.#admission.promptDerivation;
    const endEvents = (entry: SettleEntry): readonly string[] =>
      includeUsage ? chunks.endEvents(counted.usage, receiptInChunk(entry, this.#admission.servedBy?.model, promptDerivation)) : [];
    const lastEvents = format.lastEvent === undefined ? [] : [format.lastEvent];
    const reply = this.#lock?.toReply(headers, (entry) => format.toFrames([...endEvents(entry), ...lastEvents]));
    const entry = await settleStream(this.#options, counted, this.#ending, reply);
    this.#isSettled = true;
    if (!entry || !includeUsage) return undefined;
    const last = endEvents(entry);
    this.#options.notes.trace?.streamed(last);
    return last;
  }

  async #settleAndFail(error: unknown): Promise<void> {
    let sent = error;
    try {
      await settleStreamFailure(this.#options, error, this.#chunks, this.#backPressure.mayCauseFailure);
    } catch (settlementError) {
      sent = settlementError;
    }
    this.#takeConsumer().fail(sent);
  }

  #count(isComplete: boolean): CountedUsage {
    return this.#admission.count(this.#chunks ?? NOTHING_RECEIVED, isComplete && !this.#isStopped);
  }

  get #ending(): ResponseEnd {
    if (this.#isStopped) return "stopped at x-max-cost";
    return this.#isCancelled && !this.#lock ? "the client disconnected before the end" : "complete";
  }

  #hasReachedMaxCost(): boolean {
    const { maxCostNanos } = this.#admission;
    return maxCostNanos !== undefined && this.#admission.costOf(this.#count(false)) >= maxCostNanos;
  }

  #stop(chunks: ChunkStream): readonly string[] {
    this.#isStopped = true;
    return chunks.stop();
  }

  #record(events: readonly string[]): readonly string[] {
    this.#lock?.record(this.#options.format.toFrames(events));
    this.#options.notes.trace?.streamed(events);
    this.#options.notes.mirror?.received(events);
    return events;
  }

  /** Consumes the rest of the stream instead of the client, so that the whole response is counted, and stored for a replay. */
  #drain(): Promise<void> {
    let chars = 0;
    return new Promise((resolve) => {
      const take = (events: readonly string[]): void => {
        for (const event of events) chars += event.length;
        if (chars <= READ_ON_CHARS || this.#lock) return this.read(drain);
        this.#chunks!.cancel();
        settleDisconnect(this.#options, this.#chunks).then(() => resolve(), resolve);
      };
      const drain: Consumer<readonly string[]> = { take, end: resolve, fail: () => resolve() };
      if (this.#consumer) this.#consumer = drain;
      else this.read(drain);
    });
  }
}

/**
 * How long after the end of back-pressure an upstream failure may still be caused by it: the bytes that the upstream sent before it gave up
 * are read first. After this time, the gateway has caught up with the upstream.
 */
const CATCH_UP_MS = 10_000;

/** Back-pressure on a stream: whether the upstream had to wait for a client that was not reading. */
class BackPressure {
  #isStalled = false;
  #stalledUntil = Number.NEGATIVE_INFINITY;

  /** Called when the client does not keep up, so the upstream is not read. */
  begin(): void {
    this.#isStalled = true;
  }

  /** Called when the client reads again, so that the gateway reads from the upstream again. */
  end(): void {
    if (!this.#isStalled) return;
    this.#isStalled = false;
    this.#stalledUntil = performance.now();
  }

  /** Whether back-pressure may be the reason for a failure of the upstream at this moment. */
  get mayCauseFailure(): boolean {
    return this.#isStalled || performance.now() - this.#stalledUntil < CATCH_UP_MS;
  }
}
