import { CallerGone } from "../vocabulary/caller-gone.ts";
import type { GatewayError } from "../vocabulary/gateway-error.ts";
import type { StreamEnd } from "../vocabulary/request-notes.ts";

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

const utf8 = new TextEncoder();
const KEEP_ALIVE = utf8.encode(": keep-alive\n\n");

/**
 * Events as a byte stream that is produced as it is read: a caller that stalls holds one batch, not the whole answer. It
 * ends with `data: [DONE]`, or, broken, with an error frame and no `[DONE]`, so that nothing cut short looks whole.
 */
export function eventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  return new ReadableStream(new EventProducer(options));
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

class EventProducer {
  readonly #options: EventStreamOptions;
  #silence: Timer | undefined;
  #hasEnded = false;
  #bytes = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  start(controller: Controller): void {
    if (this.#options.startSilent) controller.enqueue(KEEP_ALIVE);
    this.#watchSilence(controller);
  }

  async pull(controller: Controller): Promise<void> {
    try {
      const events = await this.#options.source.read();
      if (this.#hasEnded) return;
      if (events === undefined) return await this.#finish(controller, "complete", DONE);
      controller.enqueue(this.#encode(events));
      this.#watchSilence(controller);
    } catch (error) {
      if (this.#hasEnded) return;
      if (error instanceof CallerGone) return this.#end("caller_gone");
      await this.#finish(controller, "failed", JSON.stringify(this.#options.toError(error)));
    }
  }

  cancel(): Promise<void> {
    this.#options.source.cancel();
    return this.#end("caller_gone");
  }

  /** The last frame, and the end. It is only sent once what belongs to the end has been done. */
  async #finish(controller: Controller, end: StreamEnd, lastEvent: string): Promise<void> {
    const lastFrame = this.#encode([lastEvent]);
    await this.#end(end);
    controller.enqueue(lastFrame);
    controller.close();
  }

  #encode(events: readonly string[]): Uint8Array {
    const frames = utf8.encode(toFrames(events));
    this.#bytes += frames.byteLength;
    return frames;
  }

  async #end(end: StreamEnd): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#silence);
    await this.#options.onEnd(end, this.#bytes);
  }

  #watchSilence(controller: Controller, stalledIntervals = 0): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#breakSilence(controller, stalledIntervals), this.#options.keepAliveMs);
  }

  /** Nothing has come for a while: from the upstream, or because the reader takes nothing. */
  #breakSilence(controller: Controller, stalledIntervals: number): void {
    const isRead = (controller.desiredSize ?? 0) > 0;
    if (isRead) controller.enqueue(KEEP_ALIVE);
    if (isRead || stalledIntervals < MAX_STALLED_INTERVALS) return this.#watchSilence(controller, isRead ? 0 : stalledIntervals + 1);
    void this.cancel();
    controller.error(new CallerGone());
  }
}

/** Events as they stand in the stream. */
export function toFrames(events: readonly string[]): string {
  let frames = "";
  for (const event of events) frames += `data: ${event}\n\n`;
  return frames;
}
