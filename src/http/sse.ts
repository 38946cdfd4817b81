import { CallerGone } from "../vocabulary/caller-gone.ts";
import type { GatewayError } from "../vocabulary/gateway-error.ts";

/** Where the events of a reply come from, read when the caller has room for more. */
export interface EventSource {
  /** The data of the next events, or undefined at their end. */
  read(): Promise<readonly string[] | undefined>;
  /** The caller has left: stop producing. */
  cancel(): void;
}

export type StreamEnd = "complete" | "failed" | "caller_gone";

export interface EventStreamOptions {
  readonly source: EventSource;
  /** Silence after which a comment is sent, so that nothing between here and the caller takes the connection for dead. */
  readonly keepAliveMs: number;
  /** The silence began before the stream did: say at once that there is somebody. */
  readonly startSilent: boolean;
  /** The public words for whatever `read` threw. */
  readonly toError: (thrown: unknown) => GatewayError;
  /** Called once, whatever ends the stream. A complete one is only seen as complete after this has resolved. */
  readonly onEnd: (end: StreamEnd) => Promise<void> | void;
}

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;

/** A reader that takes nothing for so many intervals of silence, about a minute, is given up. */
const MAX_STALLED_INTERVALS = 3;

const utf8 = new TextEncoder();
const KEEP_ALIVE = utf8.encode(": keep-alive\n\n");

/**
 * Events as a byte stream that is produced as it is read: a caller that stalls holds one batch, not the whole answer. It
 * ends with `data: [DONE]`, or, broken, with an error frame and no `[DONE]`, so that nothing cut short looks whole.
 */
export function eventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { source, keepAliveMs, startSilent, toError, onEnd } = options;
  let ended = false;
  const end = async (how: StreamEnd): Promise<void> => {
    if (ended) return;
    ended = true;
    clearTimeout(silence);
    await onEnd(how);
  };

  let silence: Timer | undefined;
  const keepAlive = (controller: ReadableStreamDefaultController<Uint8Array>, stalled = 0): void => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      if (ended) return;
      const isRead = (controller.desiredSize ?? 0) > 0;
      if (isRead) controller.enqueue(KEEP_ALIVE);
      else if (stalled === MAX_STALLED_INTERVALS) return giveUp(controller);
      keepAlive(controller, isRead ? 0 : stalled + 1);
    }, keepAliveMs);
  };

  const giveUp = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    source.cancel();
    void end("caller_gone");
    controller.error(new CallerGone());
  };

  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (startSilent) controller.enqueue(KEEP_ALIVE);
      keepAlive(controller);
    },
    async pull(controller) {
      try {
        const events = await source.read();
        if (ended) return;
        if (events === undefined) {
          await end("complete");
          controller.enqueue(utf8.encode("data: [DONE]\n\n"));
          controller.close();
        } else {
          controller.enqueue(utf8.encode(toFrames(events)));
          keepAlive(controller);
        }
      } catch (error) {
        if (ended) return;
        if (error instanceof CallerGone) {
          await end("caller_gone");
          return;
        }
        const frame = toFrames([JSON.stringify(toError(error))]);
        await end("failed");
        controller.enqueue(utf8.encode(frame));
        controller.close();
      }
    },
    async cancel() {
      source.cancel();
      await end("caller_gone");
    },
  });
}

function toFrames(events: readonly string[]): string {
  let frames = "";
  for (const event of events) frames += `data: ${event}\n\n`;
  return frames;
}
