import { CallerGone } from "../lib/async/caller-gone.ts";
import type { ApiError } from "../requests/api-error.ts";
import type { StreamEnd } from "../requests/request-notes.ts";
import type { Source, Consumer } from "../lib/async/source.ts";
import type { StreamBody, BodyWriter } from "../lib/http1/server/reply.ts";

/** The source of a stream's events. It is read when the client accepts more, and returns the data of each event. */
export interface EventSource extends Source<readonly string[]> {
  /** Stops the source after the client has disconnected. */
  cancel(): void;
}

export interface EventStreamOptions {
  readonly source: EventSource;
  readonly format: EventFormat;
  /** Idle time after which a keep-alive is sent, so that proxies do not consider the connection dead. */
  readonly keepAliveMs: number;
  /** Whether the idle time began before the stream, so that a keep-alive is sent immediately. */
  readonly startsIdle: boolean;
  /** The public error for a failure of the source. */
  readonly toError: (thrown: unknown) => ApiError;
  /** Called once at the end, with the bytes of all events. The client sees a complete stream only after this has resolved. */
  readonly onEnd: (end: StreamEnd, bytes: number) => Promise<void> | void;
}

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;

/** A client that reads nothing for this many keep-alive intervals, about a minute, is disconnected. */
const MAX_STALLED_INTERVALS = 3;

/** How an API format writes its streams. */
export interface EventFormat {
  /** Events in the wire format, each with a blank line after it. */
  toFrames(events: readonly string[]): string;
  /** The last event of a complete stream; undefined if the source sends one. */
  readonly lastEvent: string | undefined;
  /** The event that ends a stream that has failed. */
  toErrorEvent(error: ApiError): string;
  /** The whole frame that is sent while nothing happens. */
  readonly keepAlive: string;
}

const LEADING_TYPE = /^\s*\{\s*"type"\s*:\s*"([\w.]+)"/;

/** Frames of events that have their type as their name. */
export function toNamedFrames(events: readonly string[]): string {
  let frames = "";
  for (const event of events) frames += `event: ${typeOf(event)}\ndata: ${event}\n\n`;
  return frames;
}

const USUAL_START = '{"type":"';

function typeOf(event: string): string {
  // Without a pattern, which costs more than the rest of a frame.
  const type = event.startsWith(USUAL_START) ? event.slice(USUAL_START.length, event.indexOf('"', USUAL_START.length)) : "\\";
  if (!type.includes("\\")) return type;
  return LEADING_TYPE.exec(event)?.[1] ?? String((JSON.parse(event) as { type?: unknown }).type);
}

/** The streams of chat completions: events without names, and `[DONE]` at the end. */
export const CHAT_EVENTS: EventFormat = {
  toFrames(events) {
    let frames = "";
    for (const event of events) frames += `data: ${event}\n\n`;
    return frames;
  },
  lastEvent: "[DONE]",
  toErrorEvent: (error) => JSON.stringify(error),
  keepAlive: ": keep-alive\n\n",
};

/**
 * Server-sent events as the body of a reply, with back-pressure: a stalled client costs one batch of memory, not the whole response. A
 * failed stream ends with an error event instead of its last event, so that a truncated stream does not look complete.
 */
export class EventStream implements StreamBody, Consumer<readonly string[]> {
  readonly #options: EventStreamOptions;
  #writer: BodyWriter | undefined;
  #idleTimer: Timer | undefined;
  #sentAt = 0;
  #hasEnded = false;
  #bytes = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  writeTo(writer: BodyWriter): void {
    this.#writer = writer;
    if (this.#options.startsIdle) writer.write(this.#options.format.keepAlive);
    this.#sentAt = performance.now();
    this.#watchIdle(writer, this.#options.keepAliveMs);
    this.#options.source.read(this);
  }

  cancel(): void {
    this.#options.source.cancel();
    void this.#end("caller_gone");
  }

  take(events: readonly string[]): void {
    if (this.#hasEnded) return;
    const writer = this.#writer!;
    this.#bytes += writer.write(this.#options.format.toFrames(events));
    // A write may reveal that the client has disconnected.
    if (this.#hasEnded) return;
    this.#sentAt = performance.now();
    if (writer.isDrained) this.#options.source.read(this);
    else void this.#readWhenDrained(writer);
  }

  end(): void {
    void this.#finish("complete", this.#options.format.lastEvent);
  }

  fail(error: unknown): void {
    if (error instanceof CallerGone) void this.#end("caller_gone");
    else void this.#finish("failed", this.#options.format.toErrorEvent(this.#options.toError(error)));
  }

  async #readWhenDrained(writer: BodyWriter): Promise<void> {
    await writer.drained();
    if (!this.#hasEnded) this.#options.source.read(this);
  }

  /** Sends the last event, after `onEnd` has resolved. */
  async #finish(end: StreamEnd, lastEvent: string | undefined): Promise<void> {
    if (this.#hasEnded) return;
    const lastFrame = lastEvent === undefined ? "" : this.#options.format.toFrames([lastEvent]);
    this.#bytes += Buffer.byteLength(lastFrame);
    await this.#end(end);
    if (lastFrame !== "") this.#writer!.write(lastFrame);
    this.#writer!.end();
  }

  async #end(end: StreamEnd): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#idleTimer);
    await this.#options.onEnd(end, this.#bytes);
  }

  /** Uses one timer, which is rescheduled when it fires and not at each event: most streams end before it fires. */
  #watchIdle(writer: BodyWriter, ms: number, stalled = { intervals: 0, bytes: 0 }): void {
    this.#idleTimer = setTimeout(() => {
      const leftMs = this.#sentAt + this.#options.keepAliveMs - performance.now();
      if (leftMs > 1) this.#watchIdle(writer, leftMs);
      else this.#keepAlive(writer, stalled);
    }, ms);
  }

  /** Called when nothing was sent for a while: either the upstream sends nothing, or the client reads nothing. */
  #keepAlive(writer: BodyWriter, stalled: { readonly intervals: number; readonly bytes: number }): void {
    const bytes = writer.unsentBytes;
    if (bytes === 0) writer.write(this.#options.format.keepAlive);
    if (this.#hasEnded) return;
    const intervals = bytes > 0 && bytes === stalled.bytes ? stalled.intervals + 1 : 0;
    if (intervals < MAX_STALLED_INTERVALS) return this.#watchIdle(writer, this.#options.keepAliveMs, { intervals, bytes });
    this.cancel();
    writer.abort();
  }
}
