import { next, type Consumer } from "../../lib/async/source.ts";
import type { ReceivedUsage, Usage } from "../../money/usage.ts";
import type { EventTranslator, StreamReader } from "../dialect.ts";
import { BufferedBytes } from "../egress/buffered-bytes.ts";
import { refuseDepth } from "../refuse-depth.ts";
import type { UpstreamReply } from "../egress/send.ts";
import type { ChunkStream } from "../upstream.ts";

/** How long to wait for the end of the body after its last event, so that the connection can be reused. */
const LINGER_MS = 1000;

/** An upstream's event stream, as chunks in the order of its events. */
export class EventChunks implements ChunkStream, Consumer<Uint8Array> {
  readonly #reply: UpstreamReply;
  readonly #events: StreamReader;
  readonly #held = new BufferedBytes();
  readonly #translator: EventTranslator;
  /** Converts a failure of the stream to the error to throw. */
  readonly #explain: (error: unknown) => Error;
  #first: readonly string[] | undefined;
  #waiting: Consumer<readonly string[]> | undefined;
  #ended = false;
  #failure: Error | undefined;

  /** Waits for the first chunk, so that an error that arrives instead can still become an HTTP status. */
  static async open(
    reply: UpstreamReply,
    reader: StreamReader,
    translator: EventTranslator,
    explain: (error: unknown) => Error,
  ): Promise<EventChunks> {
    const chunks = new EventChunks(reply, reader, translator, explain);
    chunks.#first = await next(chunks);
    return chunks;
  }

  private constructor(reply: UpstreamReply, reader: StreamReader, translator: EventTranslator, explain: (error: unknown) => Error) {
    this.#reply = reply;
    this.#events = reader;
    this.#explain = explain;
    this.#translator = translator;
  }

  get usage(): Usage | undefined {
    return this.#translator.usage;
  }

  get uncountedBytes(): number {
    return this.#translator.uncountedBytes;
  }

  get toolCalls(): ReceivedUsage["toolCalls"] {
    return this.#translator.toolCalls;
  }

  get multipliers(): ReceivedUsage["multipliers"] {
    return this.#translator.multipliers;
  }

  get isOutputUncounted(): boolean {
    return this.#translator.isOutputUncounted ?? false;
  }

  endEvents(usage: Usage, more: Readonly<Record<string, unknown>>): readonly string[] {
    return this.#translator.endEvents(usage, more);
  }

  stop(): readonly string[] {
    this.cancel();
    return this.#translator.closingChunks("length");
  }

  read(consumer: Consumer<readonly string[]>): void {
    const first = this.#first;
    this.#first = undefined;
    if (first) return consumer.take(first);
    this.#waiting = consumer;
    this.#goOn();
  }

  cancel(): void {
    this.#ended = true;
    this.#held.hold(0);
    this.#reply.cancel();
  }

  take(bytes: Uint8Array): void {
    this.#give(bytes);
  }

  end(): void {
    this.#give(undefined);
  }

  fail(error: unknown): void {
    this.#breakOff(error);
    this.#goOn();
  }

  #goOn(): void {
    if (!this.#ended) this.#reply.read(this);
    else if (this.#failure) this.#takeWaiting().fail(this.#failure);
    else this.#takeWaiting().end();
  }

  /**
   * Delivers the chunks to send. One network read may contain no chunk (only comments), one, or many. Chunks before a failure are still
   * delivered, even from the same read: the failure follows them.
   */
  #give(bytes: Uint8Array | undefined): void {
    const chunks: string[] = [];
    try {
      this.#read(bytes, chunks);
    } catch (error) {
      this.#breakOff(error);
    }
    if (chunks.length > 0) this.#takeWaiting().take(chunks);
    else this.#goOn();
  }

  #takeWaiting(): Consumer<readonly string[]> {
    const waiting = this.#waiting!;
    this.#waiting = undefined;
    return waiting;
  }

  #breakOff(error: unknown): void {
    this.#failure = this.#explain(error);
    this.cancel();
  }

  #read(bytes: Uint8Array | undefined, chunks: string[]): void {
    this.#translate(bytes ? this.#events.feed(bytes) : this.#events.end(), chunks);
    if (bytes === undefined) this.#ended = true;
    this.#held.hold(this.#ended ? 0 : this.#events.heldChars);
    if (this.#ended) this.#finish(chunks);
  }

  #finish(chunks: string[]): void {
    this.#translator.requireFinished();
    chunks.push(...(this.#translator.lastChunks?.() ?? []));
  }

  #translate(events: Iterable<string>, chunks: string[]): void {
    for (const event of events) {
      refuseDepth(event);
      if (!this.#translator.take(event, chunks)) continue;
      this.#ended = true;
      this.#reply.leave(LINGER_MS);
      return;
    }
  }
}
