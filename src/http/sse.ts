import { CallerGone } from "../lib/async/caller-gone.ts";
import type { GatewayError } from "../requests/gateway-error.ts";
import type { StreamEnd } from "../requests/request-notes.ts";
import type { Source, Consumer } from "../lib/async/source.ts";
import type { StreamBody, BodyWriter } from "../lib/http1/server/reply.ts";

/** Where the events of a reply come from: the data of each, read when the caller has room for more. */
export interface EventSource extends Source<readonly string[]> {
  /** The caller has left: stop producing. */
  cancel(): void;
}

export interface EventStreamOptions {
  readonly source: EventSource;
  /** Silence after which a comment is sent, so that nothing between here and the caller takes the connection for dead. */
  readonly keepAliveMs: number;
  /** The silence began before the stream did: say at once that there is somebody. */
  readonly startSilent: boolean;
  /** The public words for whatever the source failed with. */
  readonly toError: (thrown: unknown) => GatewayError;
  /** Called once, whatever ends the stream, with the bytes of all its events. A complete one is only seen as complete after this has resolved. */
  readonly onEnd: (end: StreamEnd, bytes: number) => Promise<void> | void;
}

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;

/** A reader that takes nothing for so many intervals of silence, about a minute, is given up. */
const MAX_STALLED_INTERVALS = 3;

/** What a whole stream ends with. */
export const DONE = "[DONE]";

const KEEP_ALIVE = ": keep-alive\n\n";

/**
 * Events as the body of a reply, produced as they are taken: a caller that stalls holds one batch, not the whole answer. It
 * ends with `data: [DONE]`, or, broken, with an error frame and no `[DONE]`, so that nothing cut short looks whole.
 */
export class EventStream implements StreamBody, Consumer<readonly string[]> {
  readonly #options: EventStreamOptions;
  #writer: BodyWriter | undefined;
  #silence: Timer | undefined;
  #sentAt = 0;
  #hasEnded = false;
  #bytes = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  writeTo(writer: BodyWriter): void {
    this.#writer = writer;
    if (this.#options.startSilent) writer.write(KEEP_ALIVE);
    this.#sentAt = performance.now();
    this.#watchSilence(writer, this.#options.keepAliveMs);
    this.#options.source.read(this);
  }

  cancel(): void {
    this.#options.source.cancel();
    void this.#end("caller_gone");
  }

  take(events: readonly string[]): void {
    if (this.#hasEnded) return;
    const writer = this.#writer!;
    this.#bytes += writer.write(toFrames(events));
    // A write may find out that the caller is gone.
    if (this.#hasEnded) return;
    this.#sentAt = performance.now();
    if (writer.isDrained) this.#options.source.read(this);
    else void this.#readWhenThereIsRoom(writer);
  }

  end(): void {
    void this.#finish("complete", DONE);
  }

  fail(error: unknown): void {
    if (error instanceof CallerGone) void this.#end("caller_gone");
    else void this.#finish("failed", JSON.stringify(this.#options.toError(error)));
  }

  async #readWhenThereIsRoom(writer: BodyWriter): Promise<void> {
    await writer.drained();
    if (!this.#hasEnded) this.#options.source.read(this);
  }

  /** The last frame, and the end. It is only sent once what belongs to the end has been done. */
  async #finish(end: StreamEnd, lastEvent: string): Promise<void> {
    if (this.#hasEnded) return;
    const lastFrame = toFrames([lastEvent]);
    this.#bytes += Buffer.byteLength(lastFrame);
    await this.#end(end);
    this.#writer!.write(lastFrame);
    this.#writer!.end();
  }

  async #end(end: StreamEnd): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#silence);
    await this.#options.onEnd(end, this.#bytes);
  }

  /** One timer, set again when it fires and not at each event: most streams end before it does. */
  #watchSilence(writer: BodyWriter, ms: number, stalled = { intervals: 0, bytes: 0 }): void {
    this.#silence = setTimeout(() => {
      const leftMs = this.#sentAt + this.#options.keepAliveMs - performance.now();
      if (leftMs > 1) this.#watchSilence(writer, leftMs);
      else this.#breakSilence(writer, stalled);
    }, ms);
  }

  /** Nothing has been sent for a while: nothing came from the upstream, or the caller takes nothing. */
  #breakSilence(writer: BodyWriter, stalled: { readonly intervals: number; readonly bytes: number }): void {
    const bytes = writer.unsentBytes;
    if (bytes === 0) writer.write(KEEP_ALIVE);
    if (this.#hasEnded) return;
    const intervals = bytes > 0 && bytes === stalled.bytes ? stalled.intervals + 1 : 0;
    if (intervals < MAX_STALLED_INTERVALS) return this.#watchSilence(writer, this.#options.keepAliveMs, { intervals, bytes });
    this.cancel();
    writer.abort();
  }
}

/** Events as they stand in the stream. */
export function toFrames(events: readonly string[]): string {
  let frames = "";
  for (const event of events) frames += `data: ${event}\n\n`;
  return frames;
}
