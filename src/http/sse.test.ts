import { describe, expect, test } from "bun:test";
import { ApiError } from "../requests/api-error.ts";
import type { StreamEnd } from "../requests/request-notes.ts";
import { deliver } from "../lib/async/source.ts";
import { RecordingWriter } from "../../test/support/http/recording-writer.ts";
import { CHAT_EVENTS, EventStream, type EventSource } from "./sse.ts";

interface WatchedStream {
  readonly stream: EventStream;
  readonly writer: RecordingWriter;
  readonly ends: StreamEnd[];
}

function watch(source: EventSource, options: { keepAliveMs?: number; startsIdle?: boolean } = {}): WatchedStream {
  const ends: StreamEnd[] = [];
  const stream = new EventStream({
    source,
    format: CHAT_EVENTS,
    keepAliveMs: options.keepAliveMs ?? 10_000,
    startsIdle: options.startsIdle ?? false,
    toError: () => new ApiError("upstream_error", "It broke."),
    onEnd: (end) => void ends.push(end),
  });
  return { stream, writer: new RecordingWriter(), ends };
}

/** The whole text for a client that reads everything. */
async function textOf({ stream, writer }: WatchedStream): Promise<string> {
  stream.writeTo(writer);
  await writer.ended;
  return writer.text;
}

/** A source of these batches; an Error among them is thrown. */
function batches(...list: readonly (readonly string[] | Error)[]): EventSource & { cancelled: boolean; reads: number } {
  let at = 0;
  return {
    cancelled: false,
    reads: 0,
    read(consumer) {
      this.reads++;
      const batch = list[at++];
      deliver(batch instanceof Error ? Promise.reject(batch) : Promise.resolve(batch), consumer);
    },
    cancel() {
      this.cancelled = true;
    },
  };
}

describe("EventStream", () => {
  test("frames every event and ends with [DONE], exactly", async () => {
    const watched = watch(batches(["a", "b"], ["c"]));
    expect(await textOf(watched)).toBe("data: a\n\ndata: b\n\ndata: c\n\ndata: [DONE]\n\n");
    expect([watched.ends, watched.writer.outcome]).toEqual([["complete"], "complete"]);
  });

  test("ends with an error event and no [DONE] when the source fails", async () => {
    const watched = watch(batches(["a"], new Error("secret")));
    expect(await textOf(watched)).toBe(
      'data: a\n\ndata: {"error":{"message":"It broke.","type":"server_error","param":null,"code":"upstream_error"}}\n\n',
    );
    expect(watched.ends).toEqual(["failed"]);
  });

  test("a client that disconnects cancels the source, and the stream ends once", async () => {
    const source = batches(["a"], ["b"], ["c"]);
    const { stream, writer, ends } = watch(source);
    writer.stall();
    stream.writeTo(writer);
    await writer.has(1);
    stream.cancel();
    expect([source.cancelled, ends]).toEqual([true, ["caller_gone"]]);
  });

  test("applies back-pressure: a stalled client holds one batch", async () => {
    const source = batches(...Array.from({ length: 1000 }, () => ["x"]));
    const { stream, writer } = watch(source);
    writer.stall();
    stream.writeTo(writer);
    await Bun.sleep(20);
    expect(source.reads).toBe(1);
    stream.cancel();
  });

  test("disconnects a client that reads nothing for about a minute", async () => {
    const source = batches(...Array.from({ length: 10 }, () => ["x"]));
    const { stream, writer, ends } = watch(source, { keepAliveMs: 5 });
    writer.stall();
    stream.writeTo(writer);
    await writer.ended;
    expect([source.cancelled, ends, writer.outcome]).toEqual([true, ["caller_gone"], "aborted"]);
  });

  test("does not disconnect a slow client", async () => {
    const { stream, writer, ends } = watch(batches(["a long one"]), { keepAliveMs: 5 });
    writer.stall();
    stream.writeTo(writer);
    // Each check finds fewer bytes than the one before, however late it runs.
    const unsent = { bytes: 10 };
    Object.defineProperty(writer, "unsentBytes", { get: () => unsent.bytes--, set() {} });
    while (unsent.bytes > 0 && ends.length === 0) await Bun.sleep(5);
    expect([ends, writer.outcome]).toEqual([[], undefined]);
    stream.cancel();
  });

  test("sends the end only after onEnd has resolved", async () => {
    let isSettled = false;
    const settling = Promise.withResolvers<void>();
    const stream = new EventStream({
      source: batches(["a"]),
      format: CHAT_EVENTS,
      keepAliveMs: 10_000,
      startsIdle: false,
      toError: () => new ApiError("internal_error", ""),
      onEnd: async () => {
        await settling.promise;
        isSettled = true;
      },
    });
    const writer = new RecordingWriter();
    stream.writeTo(writer);
    await writer.has(1);
    expect([writer.text, isSettled]).toEqual(["data: a\n\n", false]);
    settling.resolve();
    await writer.ended;
    expect(writer.text).toEndWith("data: [DONE]\n\n");
    expect(isSettled).toBe(true);
  });

  test("sends keep-alive comments while the source is idle", async () => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    let reads = 0;
    const source: EventSource = {
      read: (consumer) => deliver(reads++ === 0 ? promise : Promise.resolve(undefined), consumer),
      cancel: () => undefined,
    };
    const { stream, writer } = watch(source, { keepAliveMs: 10 });
    stream.writeTo(writer);
    await writer.has(2);
    expect(writer.text).toStartWith(": keep-alive\n\n: keep-alive\n\n");
    resolve(["a"]);
    await writer.ended;
    expect(writer.text).toEndWith(": keep-alive\n\ndata: a\n\ndata: [DONE]\n\n");
  });

  test("sends a keep-alive comment first where the idle time began before the stream", async () => {
    expect(await textOf(watch(batches(["a"]), { startsIdle: true }))).toStartWith(": keep-alive\n\ndata: a\n\n");
  });
});
