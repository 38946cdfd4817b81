import { CallerGone } from "../vocabulary/caller-gone.ts";
import type { GatewayError } from "../vocabulary/gateway-error.ts";
import type { StreamEnd } from "../vocabulary/request-notes.ts";
import type { PouredBody, Sink } from "./reply.ts";

/** Where the events of a reply come from, read when the caller has room for more. */
export interface EventSource {
  /** The data of the next events, or undefined at their end. */
  read(): Promise<readonly string[] | undefined>;
  /** The caller has left: stop producing. */
  cancel(): void;
}

export interface EventStreamOptions {
  readonly source: EventSource;
  /** Silence after which a comment is sent, so that nothing between here and the caller takes the connection for dead. */
  readonly keepAliveMs: number;
  /** The silence began before the stream did: say at once that there is somebody. */
  readonly startSilent: boolean;
  /** The public words for whatever `read` threw. */
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
export class EventStream implements PouredBody {
  readonly #options: EventStreamOptions;
  #silence: Timer | undefined;
  #sentAt = 0;
  #hasEnded = false;
  #bytes = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  pour(sink: Sink): void {
    if (this.#options.startSilent) sink.write(KEEP_ALIVE);
    this.#sentAt = performance.now();
    this.#watchSilence(sink, this.#options.keepAliveMs);
    void this.#pour(sink);
  }

  cancel(): void {
    this.#options.source.cancel();
    void this.#end("caller_gone");
  }

  async #pour(sink: Sink): Promise<void> {
    try {
      for (let events = await this.#options.source.read(); events && !this.#hasEnded; events = await this.#options.source.read()) {
        this.#bytes += sink.write(toFrames(events));
        this.#sentAt = performance.now();
        if (!sink.hasRoom) await sink.room();
        if (this.#hasEnded) return;
      }
      if (!this.#hasEnded) await this.#finish(sink, "complete", DONE);
    } catch (error) {
      if (this.#hasEnded) return;
      if (error instanceof CallerGone) return this.#end("caller_gone");
      await this.#finish(sink, "failed", JSON.stringify(this.#options.toError(error)));
    }
  }

  /** The last frame, and the end. It is only sent once what belongs to the end has been done. */
  async #finish(sink: Sink, end: StreamEnd, lastEvent: string): Promise<void> {
    const lastFrame = toFrames([lastEvent]);
    this.#bytes += Buffer.byteLength(lastFrame);
    await this.#end(end);
    sink.write(lastFrame);
    sink.end();
  }

  async #end(end: StreamEnd): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#silence);
    await this.#options.onEnd(end, this.#bytes);
  }

  /** One timer, set again when it fires and not at each event: most streams end before it does. */
  #watchSilence(sink: Sink, ms: number, stalled = { intervals: 0, bytes: 0 }): void {
    this.#silence = setTimeout(() => {
      const leftMs = this.#sentAt + this.#options.keepAliveMs - performance.now();
      if (leftMs > 1) this.#watchSilence(sink, leftMs);
      else this.#breakSilence(sink, stalled);
    }, ms);
  }

  /** Nothing has been sent for a while: nothing came from the upstream, or the caller takes nothing. */
  #breakSilence(sink: Sink, stalled: { readonly intervals: number; readonly bytes: number }): void {
    const bytes = sink.unsentBytes;
    if (bytes === 0) sink.write(KEEP_ALIVE);
    const intervals = bytes > 0 && bytes === stalled.bytes ? stalled.intervals + 1 : 0;
    if (intervals < MAX_STALLED_INTERVALS) return this.#watchSilence(sink, this.#options.keepAliveMs, { intervals, bytes });
    this.cancel();
    sink.cut();
  }
}

/** Events as they stand in the stream. */
export function toFrames(events: readonly string[]): string {
  let frames = "";
  for (const event of events) frames += `data: ${event}\n\n`;
  return frames;
}
